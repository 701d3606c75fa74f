import HoldfastObjectModel
import HoldfastObjectStore
import HoldfastObjectSupport
import HoldfastTestSupport
import HoldfastThreads
import Testing

@Suite("Versions that are held")
struct RetainedVersionTests {
    @Test("are counted by what holds them")
    func counts() throws {
        let store = try Shelter.open(.memory)
        defer { store.close() }
        let held = store.retainedVersions
        held.begin(1, .realm)
        held.begin(1, .realm)
        held.begin(1, .frozen)
        held.begin(2, .frozen)
        #expect(held.count == 2 && held.count(of: .realm) == 1 && held.count(of: .frozen) == 2)
        held.end(1, .realm)
        #expect(held.count(of: .realm) == 1)
        held.end(1, .realm)
        held.end(2, .frozen)
        #expect(held.count == 1 && held.count(of: .realm) == 0)
    }

    @Test("are told by what holds them once they are old, each kind of holder once a minute")
    func piles() throws {
        let store = try Shelter.open(.memory)
        defer { store.close() }
        let held = store.retainedVersions
        let start = monotonicMilliseconds()
        held.begin(1, .frozen)
        held.begin(2, .frozen)
        held.begin(2, .frozen)
        held.begin(1, .realm)
        held.end(1, .realm)
        var export: Lease? = held.hold(3, .export)
        #expect(held.takePiles(at: start + 29_000) == [])
        let old = held.takePiles(at: start + 32_000)
        #expect(old.map(\.holder) == [.frozen, .export])
        #expect(old.map(\.versionCount) == [2, 1])
        #expect(old.allSatisfy { (31...32).contains($0.seconds) })
        #expect(held.takePiles(at: start + 60_000) == [])
        #expect(export != nil)
        export = nil
        let again = held.takePiles(at: start + 93_000)
        #expect(again.map(\.holder) == [.frozen])
    }

    @Test("are no longer held when their note is let go of")
    func notes() throws {
        let store = try Shelter.open(.memory)
        defer { store.close() }
        var backup: BackupCursor? = try BackupCursor(store)
        #expect(store.retainedVersions.count(of: .backup) == 1)
        backup?.close()
        backup = nil
        #expect(store.retainedVersions.count(of: .backup) == 0)
    }
}
