import Foundation
import Holdfast

// `LibraryBenchmark DIR COUNT ROUNDS [ROW…]`: measures the Swift library beside the core in one process, on stores in DIR.
let arguments = CommandLine.arguments
guard arguments.count > 3, let count = Int(arguments[2]), let rounds = Int(arguments[3]) else {
    print("LibraryBenchmark DIR COUNT ROUNDS [ROW…]")
    exit(2)
}
let only = Set(arguments.dropFirst(4))
let bench = try LibraryBenchmark(directory: arguments[1], count: count, rounds: rounds)
for (name, row) in bench.rows where only.isEmpty || only.contains(name) { try row() }
