// Package abi owns what crosses a process or a language in a deployed application.
package abi
