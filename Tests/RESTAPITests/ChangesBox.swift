import Synchronization

/// A text that threads share.
final class Box: Sendable {
    private let content = Mutex<String?>(nil)

    var value: String? {
        get { content.withLock { $0 } }
        set { content.withLock { $0 = newValue } }
    }
}
