import Storage

/// Some changes in order for an engine, with room for copies of their keys and of short values: those of slots lie
/// anywhere in memory, and whoever reads many of them waits for each.
///
/// `@unchecked Sendable`: one thread fills it and hands it over whole.
final class ChangePart: @unchecked Sendable {
    /// Longer values stay where they are.
    private static let copiedByteCountMax = 32
    /// The room for the copies of a change; where many take more, the part has fewer changes.
    private static let expectedByteCount = 64

    /// The kind of key.
    private(set) var kind = 0
    private(set) var batch = StorageBatch()
    private let changeCountMax: Int
    private let copies: UnsafeMutableRawBufferPointer
    private var copiedByteCount = 0

    /// Has room for so many changes.
    init(changeCountMax: Int) {
        self.changeCountMax = max(1, changeCountMax)
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
    /// - Returns: Whether there was room; for one change there always is.
    func append(_ change: StorageBatch.Change) -> Bool {
        if batch.changes.count == changeCountMax { return false }
        let copiedValue = change.value.flatMap { $0.count <= Self.copiedByteCountMax ? $0 : nil }
        let byteCount = change.key.count + (copiedValue?.count ?? 0)
        if copiedByteCount + byteCount <= copies.count {
            batch.changes.append(
                StorageBatch.Change(
                    key: copy(change.key), value: copiedValue.map(copy) ?? change.value))
        } else if batch.changes.isEmpty {
            batch.changes.append(change)
        } else {
            return false
        }
        return true
    }

    private func copy(_ bytes: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        let copied = UnsafeMutableRawBufferPointer(
            rebasing: copies[copiedByteCount..<copiedByteCount + bytes.count])
        copied.copyMemory(from: bytes)
        copiedByteCount += bytes.count
        return UnsafeRawBufferPointer(copied)
    }
}
