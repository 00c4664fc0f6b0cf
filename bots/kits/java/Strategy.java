// What the bot plays. This is the file to change; the others carry its decisions to the hall.

import java.util.List;
import java.util.SplittableRandom;

/** One match: the program is started for every match, and plays one seat of it. */
final class Strategy {
    private final Messages.Start start;
    private final SplittableRandom random; // seeded: from the same seed always the same, so that matches can be repeated

    /** Before the first decision: `start` has the game, the seats, your seat, the rule options and the params. */
    Strategy(Messages.Start start) {
        this.start = start;
        random = new SplittableRandom(Long.parseUnsignedLong(start.seed().substring(0, 16), 16)); // half of the 32 digits
    }

    /** One of act.legal, at every decision with more than one of them. */
    Messages.Choice choose(Messages.Act act) {
        // Begin here. act.position() is what your seat sees ("?" for each hidden card); what is in it differs from game to
        // game: `arena docs notation`. For instance: act.position().get("turn").integer()
        int index = random.nextInt(act.legal().size());
        Messages.Note note = new Messages.Note("legal actions", (double) act.legal().size()); // for you, in the replay
        return new Messages.Choice(act.id(), Messages.Action.index(index), List.of(note));
    }

    /** After the match. */
    void end(Messages.End end) {
        // kept for you when a match fails
        System.err.println("place " + end.places().get((int) start.seat()) + " of " + start.seats());
    }
}
