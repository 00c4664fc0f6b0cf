"""What a policy computes, and how it learns from decisions, wherever they were taken."""
