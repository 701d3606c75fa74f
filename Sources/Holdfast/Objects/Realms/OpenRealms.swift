import CHoldfastRuntime
import Foundation
import HoldfastObjectStore
import Synchronization

/// The open realms: each live one by its place, each frozen one by its version. Thread-safe.
enum OpenRealms {
    /// A store and the confinement of a realm.
    struct Place: Hashable, Sendable {
        let location: String
        let confinement: Confinement.Identity
    }

    /// A store and one of its commits.
    struct Version: Hashable, Sendable {
        let location: String
        let commit: UInt64
    }

    /// A reference that does not keep the realm. A weak reference would make each reference count of the realm slower.
    private struct Entry: @unchecked Sendable {
        // Unchecked: the address is followed only under the lock, which the realm takes before it is freed.
        private let address: Unmanaged<RealmCore>
        let confinement: Confinement?

        init(_ core: RealmCore) {
            address = .passUnretained(core)
            confinement = core.isFrozen ? nil : core.confinement
        }

        /// The realm; nil while it is being freed.
        var core: RealmCore? {
            holdfast_try_retain(address.toOpaque()) ? address.takeRetainedValue() : nil
        }

        func isOf(_ core: RealmCore) -> Bool {
            address.toOpaque() == Unmanaged.passUnretained(core).toOpaque()
        }
    }

    private struct Known {
        var live: [Place: Entry] = [:]
        var frozen: [Version: Entry] = [:]
    }

    private static let known = Mutex(Known())

    // MARK: Live realms

    /// Opens the realm of a configuration in a place, or returns the one that is open there.
    ///
    /// - Throws: ``Realm/Error``.
    static func core(
        of configuration: Realm.Configuration, in confinement: Confinement = .present
    ) throws -> RealmCore {
        let place = Place(location: configuration.location, confinement: confinement.identity)
        if let present = core(at: place) {
            try requireSame(configuration, present.configuration)
            return present
        }
        try configuration.check()
        let models = try ProgramSchema.models(of: configuration)
        let opened = try OpenedStore.open(configuration)
        do {
            try ProgramSchema.agree(models, with: opened, configuration)
            let core = try RealmCore(opened, models, configuration, confinement)
            known.withLock { $0.live[place] = Entry(core) }
            return core
        } catch {
            opened.release()
            throw error
        }
    }

    /// The open realm of a place, or nil.
    static func core(at place: Place) -> RealmCore? {
        // The actor is asked outside of the lock: a realm that goes with it takes the lock.
        let core = known.withLock { $0.live[place]?.core }
        return core?.confinement.isGone == true ? nil : core
    }

    /// The realm of a store that the calling code may use: the open realm of its queue or actor, otherwise the one that
    /// ``Realm/init(configuration:queue:)`` returns.
    ///
    /// - Throws: ``Realm/Error``.
    static func usableCore(of configuration: Realm.Configuration) throws -> RealmCore {
        let location = configuration.location
        let others = known.withLock { known in
            known.live.compactMap { $0.location == location ? $1.confinement : nil }
        }
        let usable = others.first { $0.canSchedule && $0.isCurrent }
        return try core(of: configuration, in: usable ?? .present)
    }

    /// The realm with a write in progress in the calling code; nil outside a write.
    static var coreInWrite: RealmCore? {
        let places = known.withLock { $0.live.map { ($0, $1.confinement) } }
        for (place, confinement) in places where confinement?.isCurrent == true {
            if let core = core(at: place), core.isInWrite { return core }
        }
        return nil
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

    // MARK: Frozen realms

    /// The frozen realm of a version with the given classes; nil if it is not open.
    static func frozenCore(_ version: Version, _ models: [ModelClass]) -> RealmCore? {
        let core = known.withLock { $0.frozen[version]?.core }
        return core.flatMap { $0.models.elementsEqual(models, by: ===) ? $0 : nil }
    }

    /// Registers a frozen realm and returns it. If another thread has frozen the same version and classes meanwhile, returns that
    /// realm.
    static func sharing(frozen core: RealmCore) -> RealmCore {
        // Released after the lock.
        let present = known.withLock { known in
            let present = known.frozen[core.version]?.core
            if present?.models.elementsEqual(core.models, by: ===) != true {
                known.frozen[core.version] = Entry(core)
            }
            return present
        }
        return present.flatMap { $0.models.elementsEqual(core.models, by: ===) ? $0 : nil } ?? core
    }

    /// Forgets a realm that is being freed.
    static func forget(_ core: RealmCore) {
        known.withLock { known in
            if core.isFrozen {
                let version = core.version
                if known.frozen[version]?.isOf(core) == true { known.frozen[version] = nil }
            } else {
                let place = core.place
                if known.live[place]?.isOf(core) == true { known.live[place] = nil }
            }
        }
    }
}

extension Realm.Configuration {
    /// The identity of a store in this process.
    var location: String { fileURL?.path ?? "memory:" + (inMemoryIdentifier ?? "") }
}

extension RealmCore {
    var place: OpenRealms.Place {
        OpenRealms.Place(location: configuration.location, confinement: confinement.identity)
    }
    var version: OpenRealms.Version {
        OpenRealms.Version(location: configuration.location, commit: commitNumber)
    }
}
