// Code generated from protocol.schema.json; DO NOT EDIT.
// The messages of the arena wire protocol 1.

package main

import "encoding/json"

// Action is the text of a legal action (string), or its index in `legal` (int).
type Action any

// Clock: A seat's CPU seconds: `move` for each decision, `bank` for all slow ones of a match together,
// `start` to get ready.
type Clock struct {
	Move  float64 `json:"move"`
	Bank  float64 `json:"bank"`
	Start float64 `json:"start,omitempty"`
}

// Start: The first message to the bot: the match that it plays now. The bot answers with Ready.
type Start struct {
	ID       int64           `json:"id"`
	Protocol int64           `json:"protocol"`
	Game     string          `json:"game"`
	Options  json.RawMessage `json:"options"`
	Seats    int64           `json:"seats"`
	Seat     int64           `json:"seat"`
	Seed     string          `json:"seed"`
	Clock    Clock           `json:"clock"`
	Params   json.RawMessage `json:"params"`
}

// Event: One of `events`: [seat, action].
type Event struct {
	Seat   int64
	Action string
}

// UnmarshalJSON reads a row: [seat, action].
func (row *Event) UnmarshalJSON(data []byte) error {
	return json.Unmarshal(data, &[]any{&row.Seat, &row.Action})
}

// Act: A message to the bot that asks for a decision. The bot answers with Choice.
type Act struct {
	ID       int64           `json:"id"`
	Position json.RawMessage `json:"position"`
	Legal    []string        `json:"legal"`
	Events   []Event         `json:"events"`
	Clock    Clock           `json:"clock"`
}

// End: The last message to the bot: the match is over. The bot does not answer; the end of the input follows.
type End struct {
	ID     int64     `json:"id"`
	Places []int64   `json:"places"`
	Scores []float64 `json:"scores"`
}

// Ready: The bot's answer to Start: it is ready to play.
type Ready struct {
	ID int64 `json:"id"`
	Ok bool  `json:"ok"`
}

// Note: What the bot notes about the decision, for its author alone: [text, number or null], at most 1 KB in
// all.
type Note struct {
	Text   string
	Number *float64
}

// MarshalJSON writes a row: [text, number].
func (row Note) MarshalJSON() ([]byte, error) {
	return json.Marshal([]any{row.Text, row.Number})
}

// Choice: The bot's answer to Act: its action.
type Choice struct {
	ID     int64  `json:"id"`
	Action Action `json:"action"`
	Notes  []Note `json:"notes,omitempty"`
}
