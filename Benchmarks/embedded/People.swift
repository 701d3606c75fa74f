import Glibc
import HoldfastJSON
import HoldfastObjectJSON
import HoldfastObjectModel
import HoldfastObjectStore
import HoldfastObjectSupport
import HoldfastQuery
import HoldfastRESTAPI
import HoldfastStoreService
import HoldfastThreads
import HoldfastTransfer
import Synchronization

/// The benchmark's people in an embedded store.
struct People {
    private let store: Store

    init(_ store: Store) { self.store = store }

    // MARK: Loading

    /// Makes the schema and imports cities and people, unless they are there from an earlier run.
    func load(_ arguments: Arguments) throws {
        if try isLoaded(arguments.objectCount) { return }
        try makeSchema()
        for name in ["City", "Person"] {
            let path = "\(arguments.peopleDirectory)/\(name).ndjson"
            let start = monotonicMicroseconds()
            let count = try importFile(path, className: name)
            let seconds = Double(monotonicMicroseconds() - start) / 1e6
            if name == "Person" {
                guard count == arguments.objectCount else {
                    throw Failure(description: "\(path) has \(count) people")
                }
                report("import-embedded", Double(count) / seconds, "objects/s")
            }
        }
    }

    /// Makes the people's schema, in which names have an index.
    func makeSchema() throws {
        func plain(_ name: String, _ type: ScalarType) -> Property {
            Property(name: name, type: .single(.scalar(type)), isIndexed: name == "name")
        }
        let schema = Schema(classes: [
            ObjectClass(
                name: "City", primaryKey: "_id",
                properties: [
                    Property(name: "_id", type: .single(.scalar(.int))),
                    Property(name: "name", type: .single(.scalar(.string))),
                ]),
            ObjectClass(
                name: "Person", primaryKey: "_id",
                properties: [
                    plain("_id", .int), plain("name", .string), plain("email", .string),
                    plain("age", .int), plain("score", .double), plain("active", .bool),
                    Property(name: "city", type: .single(.object("City")), isOptional: true),
                    Property(name: "tags", type: .list(.scalar(.string))),
                ]),
        ])
        _ = try CatalogWrite.make(in: store) { _ in SchemaProposal(schema) }
    }

    /// Whether the store has no classes yet.
    var isEmpty: Bool {
        get throws {
            let read = try store.read()
            defer { read.close() }
            return read.rows.classes.isEmpty
        }
    }

    private func isLoaded(_ count: Int) throws -> Bool {
        let read = try store.read()
        defer { read.close() }
        guard let rowClass = read.rows.rowClass(named: "Person") else { return false }
        return try read.count(rowClass) == count
    }

    private func importFile(_ path: String, className: String) throws -> Int {
        let file = open(path, O_RDONLY)
        guard file >= 0 else { throw Failure(description: "\(path) can't be read") }
        defer { close(file) }
        var options = ImportOptions()
        options.mode = .replace
        let session = ImportSession(store, .objects(className: className), options)
        let block = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 20, alignment: 64)
        defer { block.deallocate() }
        let result = session.run { feed in
            while true {
                let count = read(file, block.baseAddress, block.count)
                guard count > 0 else { break }
                feed.send(UnsafeRawBufferPointer(rebasing: block[..<count]))
            }
        }
        guard case .success(let report)? = result else {
            throw Failure(description: "the import of \(path) failed")
        }
        guard report.failedCount == 0 else {
            throw Failure(description: "\(report.failedCount) lines of \(path) were refused")
        }
        return report.importedCount
    }

    // MARK: Measuring

    /// Counts the matches of a filter by a scan and reports the best of some runs.
    func scan(_ name: String, _ filter: String, rounds: Int) throws {
        let read = try store.read()
        defer { read.close() }
        guard let rowClass = read.rows.rowClass(named: "Person") else {
            throw Failure(description: "no class Person")
        }
        let compiled = try CompiledQuery.compile(
            text: filter, rootClass: rowClass.index, schema: read.rows)
        let total = try read.count(rowClass)
        var best = UInt64.max
        var found = 0
        for _ in 0..<rounds {
            let execution = try QueryExecution(
                ObjectQuery(classIndex: rowClass.index, predicate: compiled.predicate), in: read)
            let start = monotonicMicroseconds()
            found = try execution.count()
            best = min(best, monotonicMicroseconds() - start)
        }
        report(name, Double(best) * 1000 / Double(total), "ns/row")
        report("\(name)-found", Double(found), "objects")
    }
}
