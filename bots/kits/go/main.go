// The conversation with the hall: a line of JSON in, a line of JSON out. What to play is decided in strategy.go.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"runtime/debug"
)

func main() {
	debug.SetMemoryLimit(256 << 20) // the collector works harder from here on; the hall's limit is 512 MB, if nobody changed it
	if err := talk(); err != nil {
		fmt.Fprintln(os.Stderr, err) // the end of it is kept for you when a match fails
		os.Exit(1)
	}
}

// talk answers every message until the input ends.
func talk() error {
	in := bufio.NewReaderSize(os.Stdin, 1<<16)
	var strategy *Strategy
	for {
		line, err := in.ReadBytes('\n')
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		if strategy, err = reply(line, strategy); err != nil {
			return err
		}
	}
}

// reply answers one message; it returns the strategy of the match.
func reply(line []byte, strategy *Strategy) (*Strategy, error) {
	var message struct {
		Type string `json:"type"`
	}
	if err := json.Unmarshal(line, &message); err != nil {
		return nil, err
	}
	switch {
	case message.Type == "start":
		var start Start
		if err := json.Unmarshal(line, &start); err != nil {
			return nil, err
		}
		strategy = NewStrategy(start) // before the answer: once it is sent, no file can be opened any more
		return strategy, answer(Ready{ID: start.ID, Ok: true})
	case message.Type == "act" && strategy != nil:
		var act Act
		if err := json.Unmarshal(line, &act); err != nil {
			return nil, err
		}
		return strategy, answer(strategy.Choose(act))
	case message.Type == "end" && strategy != nil:
		var end End
		if err := json.Unmarshal(line, &end); err != nil {
			return nil, err
		}
		strategy.End(end) // not answered
		return strategy, nil
	}
	return nil, fmt.Errorf("an unexpected message: %s", message.Type)
}

// answer sends one line at once. Nothing else may be printed to standard output: use os.Stderr.
func answer(reply any) error {
	line, err := json.Marshal(reply)
	if err != nil {
		return err
	}
	_, err = os.Stdout.Write(append(line, '\n'))
	return err
}
