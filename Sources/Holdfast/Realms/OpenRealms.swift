import Foundation
import HoldfastObjectStore
import Synchronization

/// The realms that are open, each under its place.
enum OpenRealms {
    private struct Place: Hashable {
        let location: String
        let thread: UInt
    }

    private struct Entry: @unchecked Sendable {
        // Unchecked: the reference is used on the core's own thread alone.
        weak var core: RealmCore?
    }

    private static let known = Mutex<[Place: Entry]>([:])

    /// The core of a configuration in the present place.
    static func core(of configuration: Realm.Configuration) throws -> RealmCore {
        let location =
            configuration.fileURL?.path ?? "memory:" + (configuration.inMemoryIdentifier ?? "")
        let place = Place(location: location, thread: ViewState.currentThread)
        if let present = known.withLock({ $0[place]?.core }) {
            try requireSame(configuration, present.configuration)
            return present
        }
        try configuration.check()
        let models = try ProgramSchema.models(of: configuration)
        let opened = try OpenedStore.open(configuration)
        do {
            try ProgramSchema.agree(models, with: opened, configuration)
            let core = try RealmCore(opened, models, configuration)
            known.withLock { known in
                known = known.filter { $0.value.core != nil }
                known[place] = Entry(core: core)
            }
            return core
        } catch {
            opened.release()
            throw error
        }
    }

    private static func requireSame(
        _ new: Realm.Configuration, _ present: Realm.Configuration
    ) throws {
        func refuse(_ what: String) -> Realm.Error {
            Realm.Error(
                .invalidConfiguration,
                "Realm at path '\(present.fileURL?.path ?? present.inMemoryIdentifier ?? "")' already opened with different \(what).",
                fileURL: present.fileURL)
        }
        if new.readOnly != present.readOnly { throw refuse("read permissions") }
        if new.schemaVersion != present.schemaVersion { throw refuse("schema version") }
    }
}
