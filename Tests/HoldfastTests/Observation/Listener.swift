import Foundation
import Holdfast

/// An actor that notes what it is told of.
actor Listener {
    private var lines: [String] = []
    private var tokens: [NotificationToken] = []

    func note(_ line: String) { lines.append(line) }
    func keep(_ token: NotificationToken) { tokens.append(token) }

    /// Waits for so many lines, and returns them in alphabetical order.
    func taken(_ count: Int) async throws -> [String] {
        for _ in 0..<30_000 where lines.count < count {
            try await Task.sleep(for: .milliseconds(1))
        }
        defer { lines = [] }
        return lines.sorted()
    }
}

extension RealmCollectionChange where CollectionType: Collection {
    /// The number of elements at first, then what went, came and has changed.
    var line: String {
        switch self {
        case .initial(let elements): "\(elements.count) at first"
        case .update(_, let deletions, let insertions, let modifications):
            "-\(deletions) +\(insertions) ~\(modifications)"
        case .error(let error): "\(error)"
        }
    }
}

extension RealmMapChange {
    /// The number of keys at first, then what went, came and has changed.
    var line: String {
        switch self {
        case .initial(let map): "\(map.count) at first"
        case .update(_, let deletions, let insertions, let modifications):
            "-\(deletions) +\(insertions) ~\(modifications)"
        case .error(let error): "\(error)"
        }
    }
}

extension SectionedResultsChange where Collection: Swift.Collection {
    /// The number of elements at first, then what went, came and has changed.
    var line: String {
        func text(_ paths: [IndexPath]) -> String {
            paths.map { "\($0.section).\($0.item)" }.joined(separator: " ")
        }
        switch self {
        case .initial(let sections): return "\(sections.count) at first"
        case .update(_, let deletions, let insertions, let modifications, let new, let gone):
            return
                "-[\(text(deletions))] +[\(text(insertions))] ~[\(text(modifications))] +\(Array(new)) -\(Array(gone))"
        }
    }
}

extension ObjectChange {
    /// What has changed.
    var line: String {
        switch self {
        case .change(_, let properties):
            properties.map { "\($0.name): \($0.newValue.map { "\($0)" } ?? "nil")" }
                .joined(separator: ", ")
        case .deleted: "deleted"
        case .error(let error): "\(error)"
        }
    }
}
