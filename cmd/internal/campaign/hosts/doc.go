// Package hosts starts the workers of a campaign on a list of hosts, by ssh or whatever else starts a program on a
// host, and says which hosts ended before the work did. A worker lives as long as what it reads from: when the program
// that started it ends, or the connection, the worker ends as well.
package hosts
