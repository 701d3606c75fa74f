import Bytes
import Glibc
import JSON
import ObjectStore
import Query
import RESTAPI
import Rows
import StorageLMDB

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
        let engine = try LMDBEngine(LMDBOptions(directory: arguments.workDirectory))
        let store = try Store(engine: engine)
        defer { store.close() }
        let people = People(store)
        try people.load(arguments)
        // Scans of a store at rest: a second later this would have happened anyway.
        try engine.checkpoint()
        let filters = [
            ("scan-int", "age > 53"), ("scan-int-rare", "age > 100"),
            ("scan-string", "email == 'user77777@mail3.example.com'"),
            ("scan-contains", "email CONTAINS[c] '@MAIL3.'"),
            ("scan-three", "age > 30 AND active == true AND score < 50.0"),
            ("scan-link", "city.name == 'City0437'"), ("scan-any", "ANY tags == 'tag07'"),
        ]
        for (name, filter) in filters where arguments.only.isEmpty || arguments.only == name {
            try people.scan(name, filter, rounds: arguments.rounds)
        }
    }
}
