import Glibc
import HoldfastObjectModel
@testable import HoldfastObjectStore
import HoldfastObjectSupport
import HoldfastRows
import HoldfastStorage
import HoldfastStorageLMDB
import Testing
import HoldfastTestSupport

@Suite("Stored files of earlier versions")
struct StoredFixtureTests {
    private static let files = ["holdfast.mdb", "holdfast.format"]

    /// The folder of a fixture, found from this file.
    private static func path(_ name: String, _ file: String = #filePath) -> String {
        let tests = file.split(separator: "/", omittingEmptySubsequences: false).dropLast(2)
        return tests.joined(separator: "/") + "/Fixtures/" + name
    }

    private static let target = getenv("HOLDFAST_WRITE_FIXTURE").map { String(cString: $0) }

    private func open(_ directory: String) throws -> LMDBEngine {
        try LMDBEngine(
            LMDBOptions(directory: directory, mapByteCount: 64 << 20, durability: .relaxed))
    }

    @Test(
        "a store of an earlier format is read, checked and written by this version",
        arguments: [7])
    func earlierFormat(version: Int) throws {
        let directory = TemporaryDirectory()
        for name in Self.files {
            let bytes = try #require(
                TemporaryDirectory.contents(Self.path("store-format-\(version)") + "/" + name))
            TemporaryDirectory.write(bytes, to: directory.path + "/" + name)
        }
        let engine = try open(directory.path)
        let store = try Store(engine: engine)
        defer { store.close() }
        let snapshot = try engine.snapshot()
        let marker = try snapshot.value(StoreKey.format).flatMap { StoreFormat.decode($0) }
        snapshot.close()
        #expect(marker == StoreFormat.current, "programs of before refuse it from now on")
        var reference = try StoredFixture.reference()
        #expect(reference.differences(from: try store.contents()) == [])
        #expect(store.version.number == reference.version)
        #expect(store.catalog.schema.classes == StoredFixture.stages.last?.classes)
        #expect(store.catalog.schema.revision == 3)
        // All rows are written anew when a random default is added, so that no older layout is kept.
        #expect(store.catalog.rows.rowClass(named: "Everything")?.layouts.count == 1)
        let access = try store.access()
        #expect(!access.needsToken && access.tokens.isEmpty)
        let report = try StoreCheck.run(store)
        #expect(report.findings == [])
        #expect(report.indexEntryCount == 5 * 8 + 2 * 2)
        #expect(report.logEntryCount == Int(reference.version))
        let changes = try store.changes(after: 3)
        #expect(changes.outcomes.count { $0.kind == .delete } == 1)

        // It goes on where it was.
        let next = try store.put("Dog", ["name": .value(.string("New"))], mode: .create)
        #expect(next == reference.version + 1)
        #expect(try store.contents().objects[Identity("Dog", .int(4))]?.version == next)
        try store.delete("City", .int(1))
        try store.put("Everything", ["id": .null, "greeting": .value(.string("changed"))])
        #expect(try store.findings() == [])
    }

    @Test("the fixture's stages still make what the stored file holds", arguments: EngineCase.all)
    func stages(engineCase: EngineCase) throws {
        let store = try Store(engine: try engineCase.open())
        defer { store.close() }
        try StoredFixture.make(in: store)
        var reference = try StoredFixture.reference()
        #expect(reference.differences(from: try store.contents()) == [])
        #expect(try store.findings() == [])
    }

    @Test(
        "a fixture is written where HOLDFAST_WRITE_FIXTURE says",
        .enabled(if: StoredFixtureTests.target != nil))
    func write() throws {
        let target = try #require(Self.target)
        let engine = try open(target)
        let store = try Store(engine: engine)
        try StoredFixture.make(in: store)
        store.close()
        unlink(target + "/holdfast.mdb-lock")
        unlink(target + "/holdfast.lock")
    }
}
