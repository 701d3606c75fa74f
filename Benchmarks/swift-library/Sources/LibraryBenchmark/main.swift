import Foundation
import Holdfast

// `LibraryBenchmark`: prints the names of the rows. `LibraryBenchmark DIR COUNT ROUNDS ROW`: measures the Swift library beside the core in
// one process, on a store in DIR. A row has a process of its own, so that what another leaves in the heap is not in its figures.
let arguments = CommandLine.arguments
if arguments.count == 1 {
    for row in LibraryBenchmark.rows { print(row.name) }
    exit(0)
}
guard arguments.count == 5, let count = Int(arguments[2]), let rounds = Int(arguments[3]),
    let row = LibraryBenchmark.rows.first(where: { $0.name == arguments[4] })
else {
    print("LibraryBenchmark DIR COUNT ROUNDS ROW")
    exit(2)
}
let bench = try LibraryBenchmark(directory: arguments[1], count: count, rounds: rounds)
try row.measure(bench)()
