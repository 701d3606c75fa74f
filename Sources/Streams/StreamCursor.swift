import HoldfastAccess
import HoldfastObjectStore

/// The position of a client in a change stream: `since` and `Last-Event-ID`.
///
/// `<epoch>-<n>` is the position after version n. The JSON mode has two more forms:
///
/// - `<epoch>-<n>.<l>.<m>.<k>.<key>`: on the way from version n, within the changes of the versions after l up to m, after the
///   first k objects of the change log and after the objects that only links lead to, up to object key `key`. l is left out if it
///   is n.
/// - `<epoch>-<n>~<class>.<key>`: in a snapshot that began at version n, after an object of the class with a number.
///
/// The cursor of a user that may not read everything ends with `_` and its ``ViewTag``. ``Seal/text(of:in:)`` replaces
/// `<l>.<m>.<k>.<key>` in it.
package enum StreamCursor: Equatable, Sendable {
    /// The cursor belongs to another view than its client's.
    case otherView
    case now
    case start
    case after(StoreVersion)
    case within(StoreVersion, ChangePart)
    case snapshot(StoreVersion, SnapshotPosition)

    /// The last object of a snapshot that a client knows.
    package struct SnapshotPosition: Equatable, Sendable {
        /// The number of the object's class.
        var classNumber: UInt32
        var key: UInt64
    }

    /// The part of the changes after the cursor's version that a client knows. At the cursor's version the client last had
    /// exactly the result. Everything sent since shows later views, so it may still have objects that were deleted or unlinked
    /// before.
    package struct ChangePart: Equatable, Sendable {
        /// The client has received all versions up to this one.
        var after: UInt64
        /// The last version that it has received in part; ``after`` if it has received no part.
        var through: UInt64
        /// The number of known objects that changed themselves, in the order of the change log, whether they concern it or not.
        var knownCount: Int
        /// The key of the last known object that is reached along links.
        var reachedKey: UInt64
    }

    /// The cursor's version; nil if it has no version.
    package var version: StoreVersion? {
        switch self {
        case .now, .start, .otherView: nil
        case .after(let version), .within(let version, _), .snapshot(let version, _): version
        }
    }

    /// The version after which a client of events continues; nil if it begins at the start.
    var eventVersion: StoreVersion? {
        switch self {
        case .now, .start, .snapshot, .otherView: nil
        case .after(let version), .within(let version, _): version
        }
    }

    /// Whether a client can wait for changes after the cursor, because it has received all of some version.
    package var canWait: Bool {
        switch self {
        case .now, .after: true
        case .start, .within, .snapshot, .otherView: false
        }
    }

    /// Reads a cursor of a client with a view; nil for other text.
    ///
    /// - `mark`: The name of the view; empty if the client may read everything.
    /// - `seal`: Opens the sealed part; nil if the library failed.
    init?(_ text: String, of mark: String, _ seal: Seal?) {
        guard let markStart = text.lastIndex(of: "_") else {
            guard let cursor = StreamCursor(text) else { return nil }
            self = cursor.version == nil || mark.isEmpty ? cursor : .otherView
            return
        }
        let (body, tag) = (text[..<markStart], text[text.index(after: markStart)...])
        guard ViewTag.isTag(tag) else { return nil }
        let isOwn = !mark.isEmpty && tag == ViewTag.text(of: body, in: mark)
        let pieces = body.split(separator: ".", omittingEmptySubsequences: false)
        guard let version = StoreVersion(text: pieces[0]), pieces.count == 2 else {
            guard let cursor = StreamCursor(String(body)), cursor.version != nil else { return nil }
            if case .within = cursor { return nil }
            self = isOwn ? cursor : .otherView
            return
        }
        guard isOwn else {
            self = .otherView
            return
        }
        guard let part = seal?.part(pieces[1], in: "\(version)_\(mark)") else { return nil }
        self = .within(version, part)
    }

    /// The version in the id of an event, of any view; nil for other text.
    package static func version(ofID text: String) -> StoreVersion? {
        guard let mark = text.lastIndex(of: "_") else { return StoreVersion(text: text) }
        guard ViewTag.isTag(text[text.index(after: mark)...]) else { return nil }
        return StoreVersion(text: text[..<mark])
    }

    /// Reads a cursor without the name of a view; nil for other text.
    init?(_ text: String) {
        if text == "now" {
            self = .now
            return
        }
        if text == "start" {
            self = .start
            return
        }
        if let mark = text.firstIndex(of: "~") {
            let place = text[text.index(after: mark)...].split(
                separator: ".", omittingEmptySubsequences: false)
            guard let version = StoreVersion(text: text[..<mark]), place.count == 2,
                let number = UInt32(place[0]), let key = UInt64(place[1])
            else { return nil }
            self = .snapshot(version, SnapshotPosition(classNumber: number, key: key))
            return
        }
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard let first = parts.first, let version = StoreVersion(text: first) else { return nil }
        switch parts.count {
        case 1: self = .after(version)
        case 4, 5:
            let isFirst = parts.count == 4
            guard let after = isFirst ? version.number : UInt64(parts[1]),
                let through = UInt64(parts[parts.count - 3]),
                let count = Int(parts[parts.count - 2]), count >= 0,
                let key = UInt64(parts[parts.count - 1])
            else { return nil }
            self = .within(
                version,
                ChangePart(after: after, through: through, knownCount: count, reachedKey: key))
        default: return nil
        }
    }

    /// The text of the cursor for the clients of a view.
    ///
    /// - `seal`: Seals the part that the clients may not read. Without a seal, the text is the cursor after the version.
    func text(of mark: String, _ seal: Seal? = nil) -> String {
        guard let version, !mark.isEmpty else { return text }
        var body = text
        if case .within(_, let part) = self {
            let sealed = seal?.text(of: part, in: "\(version)_\(mark)")
            body = sealed.map { "\(version).\($0)" } ?? "\(version)"
        }
        let tag = ViewTag.text(of: body, in: mark)
        body.reserveCapacity(body.utf8.count + 1 + tag.utf8.count)
        body += "_"
        body += tag
        return body
    }

    /// The text of the cursor, without the name of a view.
    package var text: String {
        switch self {
        case .otherView: ""
        case .now: "now"
        case .start: "start"
        case .after(let version): version.description
        case .within(let version, let part):
            (part.after == version.number ? "\(version)" : "\(version).\(part.after)")
                + ".\(part.through).\(part.knownCount).\(part.reachedKey)"
        case .snapshot(let version, let object): "\(version)~\(object.classNumber).\(object.key)"
        }
    }
}

extension StreamCursor.ChangePart {
    /// The client knows no changes after a version.
    init(behind version: UInt64) {
        self.init(after: version, through: version, knownCount: 0, reachedKey: 0)
    }
}
