import CLMDB
import Glibc
import Threads

/// Has the kernel write the pages of a large commit to the medium while the commit still hands it others: LMDB asks
/// for that only when it has handed over all, and then waits.
///
/// It promises nothing: whether the pages are on the medium, LMDB's own sync says. But what the kernel fails to do
/// when it is asked here it may tell nobody else, so that whoever commits has to ask for it.
///
/// Source: sync_file_range(2), `SYNC_FILE_RANGE_WRITE`.
final class EarlyWriteback: Sendable {
    /// A commit that writes less is over before the medium has begun.
    static let byteCountMin = 16 << 20
    private static let pauseMicroseconds = 2000

    private struct State {
        var isEnding = false
        var hasEnded = false
        var fault: Int32?
    }

    private let state = Monitor(State())

    /// Begins with a file; nil when no thread is to be had.
    init?(_ descriptor: Int32) {
        guard startThreadIfPossible({ self.run(descriptor) }) else { return nil }
    }

    private func run(_ descriptor: Int32) {
        var fault: Int32?
        repeat {
            if shim_begin_writeback(descriptor) != 0, errno != EINTR {
                let code = errno
                // A kernel or a file that does not know it is asked in vain, and nothing is lost.
                if ![ENOSYS, EINVAL, ESPIPE].contains(code) { fault = code }
                break
            }
        } while state.wait(microseconds: Self.pauseMicroseconds) { $0.isEnding ? true : nil } == nil
        state.signal {
            $0.fault = fault
            $0.hasEnded = true
            return true
        }
    }

    /// Waits until the descriptor is not used any more.
    ///
    /// - Returns: The system's error if the kernel could not write a page; nil otherwise.
    func end() -> Int32? {
        state.signal {
            $0.isEnding = true
            return true
        }
        return state.wait { $0.hasEnded ? .some($0.fault) : nil }
    }
}
