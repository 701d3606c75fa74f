/// Slots that callers take and give back, such as event streams that may be open: so many in all, and so many for each
/// owner. Thread-safe. Cost: a look-up.
package final class Slots<Owner: Hashable & Sendable>: Sendable {
    /// The bound that a caller has met.
    package enum Full: Error {
        /// The owner has as many slots as one owner may have.
        case forOwner
        /// All slots are taken.
        case forAll
    }

    private struct Taken {
        var count = 0
        var ofOwners: [Owner: Int] = [:]
    }

    private let countMax: Int
    private let ownerCountMax: Int
    private let taken = Monitor(Taken())

    /// Makes free slots.
    ///
    /// - Parameters:
    ///   - countMax: The number of slots in all.
    ///   - ownerCountMax: The number of slots that one owner may have.
    package init(_ countMax: Int = .max, perOwner ownerCountMax: Int = .max) {
        self.countMax = countMax
        self.ownerCountMax = ownerCountMax
    }

    package var takenCount: Int { taken.withLock { $0.count } }

    /// Takes a slot until the returned lease ends.
    ///
    /// - `owner`: Nil for a caller without a bound of its own.
    package func take(for owner: Owner?) throws(Full) -> Lease {
        let full = taken.withLock { taken -> Full? in
            if let owner, taken.ofOwners[owner, default: 0] >= ownerCountMax { return .forOwner }
            if taken.count >= countMax { return .forAll }
            taken.count += 1
            if let owner { taken.ofOwners[owner, default: 0] += 1 }
            return nil
        }
        if let full { throw full }
        return Lease {
            self.taken.withLock { taken in
                taken.count -= 1
                guard let owner else { return }
                let left = taken.ofOwners[owner, default: 1] - 1
                taken.ofOwners[owner] = left == 0 ? nil : left
            }
        }
    }
}
