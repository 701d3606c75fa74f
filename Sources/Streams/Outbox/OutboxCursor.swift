import HoldfastObjectStore

/// A position in the outbox of an asymmetric class, after one of its objects: `<class>.<epoch>-<key>`. Clients pass it on
/// unchanged. For a user that may not read everything, it ends with `.<version>_`, the version of the page, and the tag of the
/// user's view.
package struct OutboxCursor: Equatable, Sendable, CustomStringConvertible {
    /// The class's number: another class of the same name is another outbox.
    var classNumber: UInt32
    /// The epoch of the store: in another epoch the same key may belong to another object.
    var epoch: UInt64
    /// The object key; 0 is the position before all objects.
    var key: UInt64
    /// The version at which the objects before the position were visible; 0 if all objects are visible.
    var version: UInt64 = 0
    /// The tag of its view, in which other objects may be hidden. It proves that the service has made the cursor. Empty if
    /// everything is visible.
    private(set) var viewTag = ""

    package var description: String {
        "\(classNumber).\(StoreVersion(epoch: epoch, number: key))"
            + (viewTag.isEmpty ? "" : ".\(version)_" + viewTag)
    }
}

extension OutboxCursor {
    /// The same position as a position of a view of the store.
    func sealed(in read: ReadTransaction) -> OutboxCursor {
        var sealed = self
        sealed.viewTag = tag(in: read)
        return sealed
    }

    /// Whether it belongs to a view of the store.
    func isOf(_ read: ReadTransaction) -> Bool { viewTag == tag(in: read) }

    private func tag(in read: ReadTransaction) -> String {
        read.visibility.map {
            ViewTag.text(of: "outbox \(classNumber) \(epoch) \(key) \(version)", in: $0.mark)
        } ?? ""
    }

    /// Reads a cursor; nil for other text.
    init?(_ text: String) {
        let marked = text.split(separator: "_", maxSplits: 1, omittingEmptySubsequences: false)
        let parts = marked[0].split(separator: ".", omittingEmptySubsequences: false)
        let isOfUser = marked.count > 1
        guard parts.count == (isOfUser ? 3 : 2), let number = UInt32(parts[0]),
            let position = StoreVersion(text: parts[1]),
            let version = isOfUser ? UInt64(parts[2]) : 0
        else { return nil }
        self.init(
            classNumber: number, epoch: position.epoch, key: position.number, version: version,
            viewTag: isOfUser ? String(marked[1]) : "")
    }
}
