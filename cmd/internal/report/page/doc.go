// Package page writes what package view shows as one HTML file that needs nothing else: it
// opens from a disk, without a network, prints, and is read in light and dark.
//
// It stands last in the data's way. Charts are those of Apache ECharts, through go-echarts,
// and the drawing that of package graph; both are inside the file.
package page
