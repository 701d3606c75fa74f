import HoldfastBytes
import HoldfastObjectJSON
import HoldfastObjectStore
import HoldfastThreads
import Synchronization

/// The pinned versions of a store, as many and as long as its limits allow. Thread-safe.
///
/// Clients share a pinned version, each under an id of its own. Each pinned version makes the data file grow by what is written
/// meanwhile, so that it ends by age and by growth: at the next look, or when a read asks for it.
package final class SnapshotPins: Sendable {
    private let store: Store
    private let limits: ServiceLimits
    private let pins = Mutex<[SnapshotPin]>([])

    init(_ store: Store, _ limits: ServiceLimits) {
        self.store = store
        self.limits = limits
    }

    /// How many versions are kept.
    package var versionCount: Int { pins.withLock { Self.versions(of: $0).count } }

    private static func versions(of pins: [SnapshotPin]) -> [PinnedVersion] {
        var versions: [PinnedVersion] = []
        for pin in pins where !versions.contains(where: { $0.commit == pin.pinned.commit }) {
            versions.append(pin.pinned)
        }
        return versions
    }

    /// Begins to read the newest version. It cannot be found before ``keep(_:)``.
    ///
    /// - Throws: ``StoreError`` when too many versions are kept, or the store can't be read.
    package func begin(for caller: Caller) throws(StoreError) -> SnapshotPin {
        endOverdue()
        let present = pins.withLock { $0 }
        let versions = Self.versions(of: present)
        let pinned = try store.pin(sharing: versions)
        let known = present.first { $0.pinned.commit == pinned.commit && $0.owner == caller.token }
        let pin = SnapshotPin(
            id: known?.id ?? RandomID.make(), owner: caller.token,
            user: caller.visibility == nil ? nil : caller.client, pinned: pinned,
            milliseconds: monotonicMilliseconds(), storedByteCount: store.storedByteCount ?? 0)
        try requireRoom(for: pin, among: present)
        return pin
    }

    /// Keeps a version for further reads, or for longer than before. Nothing has been written to the store since the
    /// version that is kept already, so that its age and growth count from ``begin(for:)`` again.
    ///
    /// - Throws: ``StoreError`` when too many versions are kept.
    package func keep(_ pin: SnapshotPin) throws(StoreError) {
        let refusal = pins.withLock { pins -> StoreError? in
            do throws(StoreError) { try requireRoom(for: pin, among: pins) } catch { return error }
            var pin = pin
            pin.isNew = false
            pin.hold = store.retainedVersions.hold(pin.pinned.commit, .snapshot)
            if let same = pins.first(where: { $0.pinned.commit == pin.pinned.commit }) {
                pin.pinned = same.pinned
            }
            pins.removeAll { $0.id == pin.id }
            pins.append(pin)
            return nil
        }
        if let refusal { throw refusal }
    }

    private func requireRoom(for pin: SnapshotPin, among pins: [SnapshotPin]) throws(StoreError) {
        func isFull(_ pins: [SnapshotPin], _ countMax: Int) -> Bool {
            let versions = Self.versions(of: pins)
            return versions.count >= countMax
                && !versions.contains { $0.commit == pin.pinned.commit }
        }
        let own = pin.user.map { user in pins.filter { $0.user == user } } ?? []
        let isOwnFull = pin.user != nil && isFull(own, limits.userSnapshotCountMax)
        guard isOwnFull || isFull(pins, limits.snapshotCountMax) else { return }
        let oldest = (isOwnFull ? own : pins).map(\.milliseconds).min() ?? 0
        let age = Int(monotonicMilliseconds() - oldest) / 1000
        throw .refused(
            RequestFault.tooManySnapshots(
                limits, retryAfterSeconds: max(1, limits.readerAgeSecondsMax - age)))
    }

    /// The pin under an id.
    ///
    /// - Throws: ``RequestFault`` `.expired` when it is not, or not for the caller.
    package func find(_ id: String, of caller: Caller) throws(RequestFault) -> SnapshotPin {
        endOverdue()
        let found = pins.withLock { pins in pins.first { $0.id == id && $0.owner == caller.token } }
        guard let found else { throw .snapshotEnded(limits) }
        return found
    }

    /// Ends versions that are kept longer, or have let the data grow more, than the limits allow.
    package func endOverdue() {
        let now = monotonicMilliseconds()
        let byteCount = store.storedByteCount ?? 0
        // Snapshots are closed after the lock.
        let ended = pins.withLock { pins in
            let ended = pins.filter { isOver($0, now, byteCount) }
            if !ended.isEmpty { pins.removeAll { isOver($0, now, byteCount) } }
            return ended
        }
        withExtendedLifetime(ended) {}
    }

    private func isOver(_ pin: SnapshotPin, _ now: UInt64, _ byteCount: Int) -> Bool {
        now > pin.milliseconds + UInt64(limits.readerAgeSecondsMax) * 1000
            || byteCount > pin.storedByteCount + limits.snapshotGrowthByteCountMax
    }

    /// Ends all: before the store is closed.
    package func stop() {
        let ended = pins.withLock { pins in
            defer { pins = [] }
            return pins
        }
        withExtendedLifetime(ended) {}
    }
}

/// A version of the store that answers the reads of one client as long as it is pinned. Reads name it by `snapshot=<id>`.
package struct SnapshotPin: Sendable {
    /// The id: 22 characters of base64url, of random bytes.
    package let id: String
    /// The number of the token that it belongs to; nil if no token is needed.
    let owner: UInt64?
    /// The client with the limit that it counts against; nil for a client without a limit of its own.
    let user: ClientKey?
    /// The pinned version; clients share one for each commit.
    var pinned: PinnedVersion
    /// When the version was the newest, in milliseconds of the monotonic clock.
    let milliseconds: UInt64
    /// The bytes that the data took then.
    let storedByteCount: Int
    /// The note that the version is held, once it is kept.
    var hold: Lease?
    /// Whether it is not kept yet, or not since ``milliseconds``.
    package internal(set) var isNew = true

    package var version: StoreVersion { pinned.version }

    /// The cursor that a client gets for a page under the snapshot: the id stands before it.
    func cursor(_ text: String) -> String { "\(id).\(text)" }

    /// Takes the id from a cursor of a page under a snapshot.
    static func divide(_ cursor: String) -> (id: String, cursor: String)? {
        guard let point = cursor.utf8.firstIndex(of: UInt8(ascii: ".")),
            RandomID.isID(cursor[..<point])
        else { return nil }
        return (String(cursor[..<point]), String(cursor[cursor.index(after: point)...]))
    }
}

extension RequestFault {
    /// There is no such snapshot for the client, or no longer.
    static func snapshotEnded(_ limits: ServiceLimits) -> RequestFault {
        .single(
            .expired, "snapshot-ended",
            "You have no such snapshot; one ends \(limits.readerAgeSecondsMax) s after it was made, when "
                + "the data file has grown by \(limits.snapshotGrowthByteCountMax) bytes since, or when the "
                + "server stops. Begin again with snapshot=new, and without the old snapshot's cursors.",
            partDetail: "There is no snapshot of this id.", parameter: "snapshot")
    }

    /// As many versions are pinned as may be.
    static func tooManySnapshots(_ limits: ServiceLimits, retryAfterSeconds: Int) -> RequestFault {
        RequestFault(
            .unavailable, "too-many-snapshots",
            "At most \(limits.snapshotCountMax) versions can be pinned, and at most \(limits.userSnapshotCountMax) for one user. Try again when the "
                + "oldest has ended, use the snapshot that you have, or read without 'snapshot'.",
            retryAfterSeconds: retryAfterSeconds)
    }
}
