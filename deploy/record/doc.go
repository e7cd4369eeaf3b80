// Package record puts into a result what a run, the statements in it and a validation have measured.
//
// It stands after the packages that measure (deploy/run, deploy/measure, deploy/validate) and
// before package view, which shows the result.
package record
