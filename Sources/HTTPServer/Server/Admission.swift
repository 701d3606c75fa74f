import Synchronization

/// A grant, with what else ends what it has admitted.
struct Admission: Sendable {
    /// The grant.
    let grant: Grant
    /// The epoch of the work, and the number that it had when the work was admitted; nil where the grant alone ends it.
    private var epoch: (WorkEpoch, number: UInt64)?

    /// An admission that ends with its grant.
    init(_ grant: Grant) { self.grant = grant }

    /// Has it end with the present epoch as well.
    mutating func end(with epoch: WorkEpoch) { self.epoch = (epoch, epoch.number) }

    /// Has it end with its grant alone.
    mutating func outliveEpochs() { epoch = nil }

    /// Why it has ended; nil while it holds. Cost: that of ``Grant/ending``, and an atomic load.
    var ending: Grant.End? {
        if let end = grant.ending { return end }
        if let epoch, epoch.number != epoch.0.number { return .lowered }
        return nil
    }
}

/// A time in which work that was begun may go on: it ends with the next one. Thread-safe.
package final class WorkEpoch: Sendable {
    private let atomicNumber = Atomic<UInt64>(0)

    /// Begins the first.
    package init() {}

    /// Begins the next one. Servers, which look once a second, end what they admitted in those before.
    package func end() { atomicNumber.wrappingAdd(1, ordering: .sequentiallyConsistent) }

    /// The number of the present one.
    var number: UInt64 { atomicNumber.load(ordering: .relaxed) }
}
