// What the bot plays. This is the file to change; the others carry its decisions to the hall.
package main

import (
	"fmt"
	"math/rand"
	"os"
	"strconv"
)

// Strategy is one match: the program is started for every match, and plays one seat of it.
type Strategy struct {
	start  Start
	random *rand.Rand // seeded: from the same seed always the same numbers, so that matches can be repeated
}

// NewStrategy is called before the first decision: start has the game, the seats, your seat, the rule options and the params.
func NewStrategy(start Start) *Strategy {
	seed, _ := strconv.ParseUint(start.Seed[:16], 16, 64) // half of the 32 digits
	return &Strategy{start, rand.New(rand.NewSource(int64(seed)))}
}

// Choose returns one of act.Legal, at every decision with more than one of them.
func (strategy *Strategy) Choose(act Act) Choice {
	// Begin here. act.Position is what your seat sees ("?" for each hidden card); what is in it differs from game to game:
	// `arena docs notation`. For instance, with a struct of your own for its keys: json.Unmarshal(act.Position, &position)
	index := strategy.random.Intn(len(act.Legal))
	number := float64(len(act.Legal))
	notes := []Note{{Text: "legal actions", Number: &number}} // for you, in the replay
	return Choice{ID: act.ID, Action: index, Notes: notes}
}

// End is called after the match.
func (strategy *Strategy) End(end End) {
	place := end.Places[strategy.start.Seat]
	fmt.Fprintf(os.Stderr, "place %d of %d\n", place, strategy.start.Seats) // kept for you when a match fails
}
