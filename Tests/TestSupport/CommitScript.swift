import HoldfastStorage

/// A sequence of commits known in advance, so that a store can be checked after a crash: whatever
/// step it stands at, its whole contents follow from that step.
package enum CommitScript {
    private static let stepKey: [UInt8] = [0x00]
    private static let rowTag: UInt8 = 0x01

    /// Makes the changes of the commit of `step`, from 1: 24 rows out of 600, some by removal, one range,
    /// and the step's number.
    package static func changes(ofStep step: UInt64) -> OwnedBatch {
        var random = SeededGenerator(seed: step)
        var batch = OwnedBatch([stepKey: bytes(step)])
        let removed = UInt64.random(in: 0..<600, using: &random)
        batch.removedRanges = [KeyRange(lower: rowKey(removed), upper: rowKey(removed + 3))]
        for _ in 0..<24 {
            let key = rowKey(UInt64.random(in: 0..<600, using: &random))
            let byteCount = Int.random(in: 8..<3000, using: &random)
            let isRemoved = Int.random(in: 0..<8, using: &random) == 0
            batch.changes[key] = .some(
                isRemoved
                    ? nil : bytes(step) + [UInt8](repeating: UInt8(step & 0xFF), count: byteCount))
        }
        return batch
    }

    /// Returns the step that the last commit of `snapshot` made; zero in an empty store.
    package static func lastStep(in snapshot: any StorageSnapshot) throws(StorageError) -> UInt64 {
        guard let found = try snapshot.bytes(forKey: stepKey) else { return 0 }
        return found.reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// Everything that a store holds after `step`.
    package static func contents(afterStep step: UInt64) -> [[UInt8]: [UInt8]] {
        var model = ModelStore()
        if step > 0 {
            for number in 1...step { model.apply(changes(ofStep: number)) }
        }
        return model.entries
    }

    private static func rowKey(_ number: UInt64) -> [UInt8] { [rowTag] + bytes(number) }

    private static func bytes(_ number: UInt64) -> [UInt8] {
        (0..<8).map { UInt8(truncatingIfNeeded: number >> (56 - 8 * $0)) }
    }
}
