import ObjectStore

/// Where a client of a change stream stands: `since` and `Last-Event-ID`.
///
/// `<epoch>-<n>` stands behind version n. The JSON mode has two more forms: `<epoch>-<n>.<k>`, behind
/// the first k objects of what follows version n, and `<epoch>-<n>~<class>.<key>`, in a snapshot that
/// began at version n, behind an object.
enum StreamCursor: Equatable, Sendable {
    case now
    case start
    case after(StoreVersion, skipping: Int)
    case snapshot(StoreVersion, ObjectIdentity)

    /// Reads a cursor; nil for other text.
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
            let place = text[text.index(after: mark)...].split(separator: ".", omittingEmptySubsequences: false)
            guard let version = StoreVersion(text: text[..<mark]), place.count == 2,
                let classIndex = Int(place[0]), classIndex >= 0, let key = UInt64(place[1])
            else { return nil }
            self = .snapshot(version, ObjectIdentity(classIndex: classIndex, key: key))
            return
        }
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count <= 2, let first = parts.first, let version = StoreVersion(text: first) else {
            return nil
        }
        var skipping = 0
        if parts.count == 2 {
            guard let count = Int(parts[1]), count >= 0 else { return nil }
            skipping = count
        }
        self = .after(version, skipping: skipping)
    }

    /// The text of the cursor.
    var text: String {
        switch self {
        case .now: "now"
        case .start: "start"
        case .after(let version, let skipping):
            skipping == 0 ? version.description : "\(version).\(skipping)"
        case .snapshot(let version, let identity):
            "\(version)~\(identity.classIndex).\(identity.key)"
        }
    }
}
