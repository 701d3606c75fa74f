import HoldfastBytes
import Glibc
import HoldfastJSON
import HoldfastObjectStore
import HoldfastObjectSupport
import HoldfastQuery
import HoldfastRESTAPI
import HoldfastRows
import HoldfastStorageLMDB

/// Measures the embedded store without HTTP: `Benchmarks --people DIR --objects N [--work DIR]`.
///
/// DIR holds `schema.json`, `City.ndjson` and `Person.ndjson` as `Benchmarks/person/generate.py` makes
/// them. Prints a JSON line for each figure: `{"name","value","unit"}`.
@main
struct App {
    static func main() {
        do {
            try run(Arguments(CommandLine.arguments))
        } catch {
            var message = "Benchmarks: \(error)\n"
            message.withUTF8 { _ = write(2, $0.baseAddress, $0.count) }
            exit(1)
        }
    }

    private static func run(_ arguments: Arguments) throws {
        if arguments.only == "planner" { return try GeneratedPlans(arguments: arguments).run() }
        switch arguments.suite {
        case "reads": try reads(arguments)
        case "writes": try EmbeddedWrites(arguments: arguments).run()
        default: try scans(arguments)
        }
    }

    /// Runs `body` on the store with the people, at rest.
    private static func withPeople(
        _ arguments: Arguments, _ columns: ColumnOptions, _ body: (Store, People) throws -> Void
    ) throws {
        let engine = try LMDBEngine(LMDBOptions(directory: arguments.workDirectory))
        var options = StoreOptions()
        options.columns = columns
        let store = try Store(engine: engine, options: options)
        defer { store.close() }
        let people = People(store)
        try people.load(arguments)
        // Scans of a store at rest: a second later this would have happened anyway.
        try engine.checkpoint()
        try body(store, people)
    }

    /// Scans without columns.
    private static func scans(_ arguments: Arguments) throws {
        var columns = ColumnOptions()
        columns.byteCountMax = 0
        let filters = [
            ("scan-int", "age > 53"), ("scan-int-rare", "age > 100"),
            ("scan-string", "email == 'user77777@mail3.example.com'"),
            ("scan-contains", "email CONTAINS[c] '@MAIL3.'"),
            ("scan-three", "age > 30 AND active == true AND score < 50.0"),
            ("scan-link", "city.name == 'City0437'"), ("scan-any", "ANY tags == 'tag07'"),
        ]
        try withPeople(arguments, columns) { _, people in
            for (name, filter) in filters where arguments.only.isEmpty || arguments.only == name {
                try people.scan(name, filter, rounds: arguments.rounds)
            }
        }
    }

    /// Queries by columns on one core, then with helpers; objects by their keys.
    private static func reads(_ arguments: Arguments) throws {
        var columns = ColumnOptions()
        columns.helperCountMax = 0
        try withPeople(arguments, columns) { store, _ in
            let read = try store.read()
            defer { read.close() }
            let reads = try EmbeddedReads(read, arguments)
            try reads.run("resident", comparesLoops: true)
            report("column-bytes", Double(store.columns.byteCount) / 1_048_576, "MiB")
            try reads.byIndex()
            try reads.byPrimaryKey()
        }
        try withPeople(arguments, ColumnOptions()) { store, _ in
            let read = try store.read()
            defer { read.close() }
            try EmbeddedReads(read, arguments).run("both-cores", comparesLoops: false)
        }
    }
}
