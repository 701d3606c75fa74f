import HoldfastBytes
import HoldfastObjectJSON
import HoldfastObjectModel
import HoldfastObjectStore
import HoldfastRESTAPI
import HoldfastServiceSupport
import HoldfastStoreService
import HoldfastTestSupport
import HoldfastTransfer
import Testing

/// Runs imports and exports without HTTP.
enum Importing {
    /// Objects that link to each other.
    static let nodes = Schema(classes: [
        ObjectClass(
            name: "Node", primaryKey: "id",
            properties: [
                Schemas.property("id", .int), Schemas.property("label", .string, indexed: true),
                Schemas.link("next", "Node"), Schemas.list("others", of: "Node"),
                Property(
                    name: "before", type: .linkingObjects(className: "Node", property: "next")),
            ]),
        ObjectClass(
            name: "Loose",
            properties: [Schemas.property("label", .string), Schemas.link("node", "Node")]),
    ])

    /// An empty store of nodes.
    static func store(_ engine: EngineCase = .memory) throws -> Store {
        let store = try Store(engine: try engine.open(valueByteCountMax: 64 << 20))
        try TestServer.put(nodes, in: store)
        return store
    }

    /// Imports a text that comes in pieces of a size.
    static func run(
        _ text: String, into store: Store, _ className: String = "Node",
        pieceByteCount: Int = 1 << 16, change: (inout ImportOptions) -> Void = { _ in }
    ) -> Result<ImportReport, RequestFault>? {
        run(
            Array(text.utf8), into: store, className, pieceByteCount: pieceByteCount, change: change
        )
    }

    /// Imports a text and expects a report.
    static func report(
        _ text: String, into store: Store, _ className: String = "Node",
        pieceByteCount: Int = 1 << 16, change: (inout ImportOptions) -> Void = { _ in }
    ) throws -> ImportReport {
        let result = run(
            text, into: store, className, pieceByteCount: pieceByteCount, change: change)
        return try #require(result).get()
    }

    /// Imports bytes that come in pieces of a size.
    static func run(
        _ bytes: [UInt8], into store: Store, _ className: String = "Node",
        pieceByteCount: Int = 1 << 16, change: (inout ImportOptions) -> Void = { _ in }
    ) -> Result<ImportReport, RequestFault>? {
        run(
            bytes, into: store, .objects(className: className), pieceByteCount: pieceByteCount,
            change: change)
    }

    /// Imports a whole store's text and expects a report.
    static func storeReport(
        _ text: String, into store: Store, change: (inout ImportOptions) -> Void = { _ in }
    ) throws -> ImportReport {
        let result = run(
            Array(text.utf8), into: store, .store, pieceByteCount: 1 << 10, change: change)
        return try #require(result).get()
    }

    /// Imports bytes into a class or a whole store.
    static func run(
        _ bytes: [UInt8], into store: Store, _ target: ImportTarget, pieceByteCount: Int = 1 << 16,
        ending: @escaping @Sendable () -> RequestFault? = { nil },
        change: (inout ImportOptions) -> Void
    ) -> Result<ImportReport, RequestFault>? {
        var options = ImportOptions()
        change(&options)
        let session = ImportSession(store, target, options)
        session.feed.refuse(when: ending)
        return session.run { feed in
            bytes.withUnsafeBytes { bytes in
                for start in stride(from: 0, to: bytes.count, by: pieceByteCount) {
                    let end = min(bytes.count, start + pieceByteCount)
                    feed.send(UnsafeRawBufferPointer(rebasing: bytes[start..<end]))
                }
            }
        }
    }

    /// The lines of an export.
    static func export(_ store: Store, _ className: String = "Node") throws -> [String] {
        let view = try store.holdRead()
        defer { view.close() }
        let cursor = try ExportCursor(
            .objects(.ofClass(className), fields: nil, isCSV: false), view,
            SchemaNames(view.rows))
        var text = ""
        while true {
            let piece = try cursor.next()
            if piece.isEmpty { break }
            text += String(decoding: piece, as: UTF8.self)
        }
        let lines = text.split(separator: "\n").map(String.init)
        #expect(lines.count == cursor.objectCount)
        return lines
    }

    /// Expects a store in which everything fits together.
    static func expectSound(_ store: Store, _ location: SourceLocation = #_sourceLocation) throws {
        let report = try StoreCheck.run(store)
        #expect(report.findings == [], sourceLocation: location)
    }
}

extension ImportReport {
    /// The lines that have faults, each with the codes.
    var codes: [String] { faults.map { "\($0.line) \($0.fault.code)" } }
}
