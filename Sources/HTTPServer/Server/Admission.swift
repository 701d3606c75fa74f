import Synchronization

/// A grant, together with the work epoch that may also end the admitted request.
struct Admission: Sendable {
    let grant: Grant
    /// The epoch of the work, and its number when the work was admitted; nil if only the grant ends the admission.
    private var epoch: (WorkEpoch, number: UInt64)?

    /// Creates an admission that ends with its grant.
    init(_ grant: Grant) { self.grant = grant }

    /// Makes the admission end with the present epoch as well.
    mutating func end(with epoch: WorkEpoch) { self.epoch = (epoch, epoch.number) }

    /// Makes the admission end only with its grant.
    mutating func outliveEpochs() { epoch = nil }

    /// The reason why the admission has ended; nil while it is valid. Cost: that of ``Grant/ending``, and an atomic load.
    var ending: Grant.End? {
        if let end = grant.ending { return end }
        if let epoch, epoch.number != epoch.0.number { return .lowered }
        return nil
    }
}

/// A period in which work that was begun may go on. It ends when the next one begins. Thread-safe.
package final class WorkEpoch: Sendable {
    private let atomicNumber = Atomic<UInt64>(0)

    /// Begins the first period.
    package init() {}

    /// Begins the next period. Servers check once a second, and end requests that they admitted in earlier periods.
    package func end() { atomicNumber.wrappingAdd(1, ordering: .sequentiallyConsistent) }

    /// The number of the present period.
    var number: UInt64 { atomicNumber.load(ordering: .relaxed) }
}
