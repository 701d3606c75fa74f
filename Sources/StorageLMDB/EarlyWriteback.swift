import CLMDB
import Threads

/// Has the kernel write the pages of a large commit to the medium while the commit still hands it others: LMDB asks
/// for that only when it has handed over all, and then waits.
///
/// It promises nothing: whether the pages are on the medium, LMDB's own sync says, on a descriptor of its own.
///
/// Source: sync_file_range(2), `SYNC_FILE_RANGE_WRITE`.
final class EarlyWriteback: Sendable {
    /// A commit that writes less is over before the medium has begun.
    static let byteCountMin = 16 << 20
    private static let pauseMicroseconds = 2000

    private struct State {
        var isEnding = false
        var hasEnded = false
    }

    private let state = Monitor(State())

    /// Begins with a file; nil when no thread is to be had.
    init?(_ descriptor: Int32) {
        guard startThreadIfPossible({ self.run(descriptor) }) else { return nil }
    }

    private func run(_ descriptor: Int32) {
        repeat {
            // A file system that can't is asked in vain, and nothing is lost.
            _ = shim_begin_writeback(descriptor)
        } while state.wait(microseconds: Self.pauseMicroseconds) { $0.isEnding ? true : nil } == nil
        state.signal {
            $0.hasEnded = true
            return true
        }
    }

    /// Waits until the descriptor is not used any more.
    func end() {
        state.signal {
            $0.isEnding = true
            return true
        }
        state.wait { $0.hasEnded ? () : nil }
    }
}
