import HoldfastAccess
import HoldfastObjectStore

/// The position of a client in a change stream: `since` and `Last-Event-ID`.
///
/// `<epoch>-<n>` stands behind version n. The JSON mode has two more forms: `<epoch>-<n>.<l>.<m>.<k>.<key>`,
/// on the way from version n, within the changes of the versions after l up to m, behind the first k objects of the change log
/// and behind those that links alone lead to whose keys are not above `key` (l is left out where it is n); and
/// `<epoch>-<n>~<class>.<key>`, in a snapshot that began at version n, behind an object of the class of a number.
///
/// A cursor of somebody who may not read everything ends with `_` and its ``ViewTag``, and has in the place of `<l>.<m>.<k>.<key>`
/// what ``Seal/text(of:in:)`` makes of it.
package enum StreamCursor: Equatable, Sendable {
    /// It is of another view than its client's.
    case otherView
    case now
    case start
    case after(StoreVersion)
    case within(StoreVersion, ChangePart)
    case snapshot(StoreVersion, SnapshotPlace)

    /// The last object that a client knows of a snapshot.
    package struct SnapshotPlace: Equatable, Sendable {
        /// The number of its class.
        var classNumber: UInt32
        /// Its object key.
        var key: UInt64
    }

    /// The part that a client knows of the changes behind the cursor's version, which is the last whose result it held exactly: what it
    /// has been told since is of later views, so that it may still hold what was deleted or unlinked before they were made.
    package struct ChangePart: Equatable, Sendable {
        /// It has been told of all versions up to this one.
        var after: UInt64
        /// The last of the versions of which it knows a part; ``after`` where it has not been told of any.
        var through: UInt64
        /// Objects that changed themselves, in the order of the change log, whether they concern it or not.
        var knownCount: Int
        /// Of the objects that are reached along links those up to this object key.
        var reachedKey: UInt64
    }

    /// The version that the cursor belongs to; nil without one.
    package var version: StoreVersion? {
        switch self {
        case .now, .start, .otherView: nil
        case .after(let version), .within(let version, _), .snapshot(let version, _): version
        }
    }

    /// The version behind which a client of events goes on that stands there; nil for one that begins at the start.
    var eventVersion: StoreVersion? {
        switch self {
        case .now, .start, .snapshot, .otherView: nil
        case .after(let version), .within(let version, _): version
        }
    }

    /// Whether a client that stands there can wait for what comes: it has been told all of some version.
    package var canWait: Bool {
        switch self {
        case .now, .after: true
        case .start, .within, .snapshot, .otherView: false
        }
    }

    /// Reads a cursor of somebody who has a view; nil for other text.
    ///
    /// - `mark`: Names their view; empty where they may read everything.
    /// - `seal`: Opens what is sealed in it; nil when the library failed.
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
            guard let cursor = StreamCursor(String(body)), cursor.version != nil else {
                return nil
            }
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

    /// The version that the id of an event stands behind, whosever it is; nil for other text.
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
            self = .snapshot(version, SnapshotPlace(classNumber: number, key: key))
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

    /// The text of the cursor for those who have a view.
    ///
    /// - `seal`: Seals what they may not read of it; without one it is that behind its version.
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
        case .snapshot(let version, let object):
            "\(version)~\(object.classNumber).\(object.key)"
        }
    }
}

extension StreamCursor.ChangePart {
    /// Nothing of what comes behind a version.
    init(behind version: UInt64) {
        self.init(after: version, through: version, knownCount: 0, reachedKey: 0)
    }
}
