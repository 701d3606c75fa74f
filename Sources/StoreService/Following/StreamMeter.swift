import Synchronization

/// Figures of change streams. Any thread.
package final class StreamMeter: Sendable {
    private let encodings = Atomic<Int>(0)

    /// Pieces of changes that were written as JSON for live streams, each for all that share it.
    package var encodingCount: Int { encodings.load(ordering: .relaxed) }

    func countEncoding() { encodings.wrappingAdd(1, ordering: .relaxed) }
}
