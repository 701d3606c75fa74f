import Holdfast
import HoldfastObjectStore
import Synchronization
import Testing

/// The check of each store that a test leaves behind, as by `holdfast check`, when its last realm releases it.
enum CheckedStores {
    private static let locations = Mutex<Set<String>>([])

    /// Whether a store was checked: by its path or its identifier in memory.
    static func contain(_ location: String) -> Bool {
        locations.withLock { $0.contains(location) }
    }

    fileprivate static func begin() {
        ClosingStores.observe { store, location in
            do {
                let findings = try StoreCheck.run(store).findings
                #expect(findings.isEmpty, "the store '\(location)'")
            } catch {
                Issue.record(error, "the store '\(location)' can't be checked")
            }
            locations.withLock { _ = $0.insert(location) }
        }
    }
}

/// Runs before any test, whichever is the first: the loader calls the functions of this section.
@used @section(".init_array")
private let beginChecks: @convention(c) () -> Void = { CheckedStores.begin() }

@Suite("The tests of the library")
struct CheckedStoresTests {
    @Test("have each store checked that they leave behind")
    func closes() throws {
        var realm: Realm? = try Realm.ofSample("left behind", [Note.self])
        try realm?.write { realm?.add(Note()) }
        #expect(!CheckedStores.contain("left behind"))
        realm = nil
        #expect(CheckedStores.contain("left behind"))
    }
}
