package campaign

import (
	"encoding/json"
	"fmt"
	"os"
)

// Role is the part of a process in a campaign, given by the process that started it.
type Role struct {
	Point   bool    `json:",omitempty"` // it computes a point, with the options of its command line only
	Collect string  `json:",omitempty"` // the folder of the campaign whose answers its command shows
	Partial bool    `json:",omitempty"` // although some are missing
	Engine  *Engine `json:",omitempty"` // of the campaign that it makes
	File    string  `json:",omitempty"` // the campaign file that describes it
}

// roleVariable is the environment variable with the role of a process.
const roleVariable = "XOPT_CAMPAIGN_ROLE"

// Variable returns the environment variable of a process with this role.
func (r *Role) Variable() string {
	text, err := json.Marshal(r)
	if err != nil { // its fields are texts and numbers
		return roleVariable + "="
	}
	return roleVariable + "=" + string(text)
}

// TakeRole returns the role of this process and removes it from the environment, so that child processes have none.
func TakeRole() (Role, error) {
	var r Role
	text, ok := os.LookupEnv(roleVariable)
	if !ok {
		return r, nil
	}
	if err := json.Unmarshal([]byte(text), &r); err != nil {
		return r, fmt.Errorf("the variable %s is not of this version of xopt: %w", roleVariable, err)
	}
	return r, os.Unsetenv(roleVariable)
}

// Sealed reports whether a process uses only the options of its command line.
func (r *Role) Sealed() bool { return r.Point || r.Collect != "" }
