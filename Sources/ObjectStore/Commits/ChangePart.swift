import Storage

/// Some changes in order for an engine, with room for copies of their keys and of short values: those of slots lie
/// anywhere in memory, and whoever reads many of them waits for each.
///
/// `@unchecked Sendable`: one thread fills it and hands it over whole.
final class ChangePart: @unchecked Sendable {
    /// Longer values stay where they are.
    private static let copiedByteCountMax = 32
    /// The room for the copies of a change; where some take more, the part has fewer changes.
    private static let expectedByteCount = 64

    /// The kind of key.
    private(set) var kind = 0
    private(set) var batch = StorageBatch()
    private let changeCountMax: Int
    private let copies: UnsafeMutableRawBufferPointer
    private var copiedByteCount = 0

    /// Has room for so many changes.
    init(changeCountMax: Int) {
        self.changeCountMax = changeCountMax
        batch.changes.reserveCapacity(changeCountMax)
        copies = .allocate(byteCount: changeCountMax * Self.expectedByteCount, alignment: 1)
    }

    deinit { copies.deallocate() }

    /// Forgets all changes; those to come are of a kind.
    func begin(_ kind: Int) {
        self.kind = kind
        batch.changes.removeAll(keepingCapacity: true)
        copiedByteCount = 0
    }

    /// Adds a change.
    ///
    /// - Returns: Whether there was room.
    func append(_ change: StorageBatch.Change) -> Bool {
        let copiedValue = change.value.flatMap { $0.count <= Self.copiedByteCountMax ? $0 : nil }
        let byteCount = change.key.count + (copiedValue?.count ?? 0)
        guard batch.changes.count < changeCountMax, copiedByteCount + byteCount <= copies.count
        else {
            return false
        }
        let key = copy(change.key)
        batch.changes.append(
            StorageBatch.Change(key: key, value: copiedValue.map(copy) ?? change.value))
        return true
    }

    private func copy(_ bytes: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        let place = UnsafeMutableRawBufferPointer(
            rebasing: copies[copiedByteCount..<copiedByteCount + bytes.count])
        place.copyMemory(from: bytes)
        copiedByteCount += bytes.count
        return UnsafeRawBufferPointer(place)
    }
}
