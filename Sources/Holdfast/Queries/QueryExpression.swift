import HoldfastQuery

/// A query on its way to text: pieces, so that arguments get their numbers, and paths their beginnings, at the end.
struct QueryExpression {
    /// The way to a value.
    struct Path {
        /// Names and operations, joined by points.
        var steps: [String] = []
        /// How many of the steps lead to each collection on the way.
        var collectionEnds: [Int] = []
        /// Whether what stands behind the collections makes one value of them, such as a count.
        var isSingle = false
        /// Whether it leads to the value of a map's key.
        var isSubscripted = false

        /// Whether it leads to several values.
        var isMany: Bool { !collectionEnds.isEmpty && !isSingle }

        /// Goes on into the value at the end.
        func indexed(_ index: String) -> Path {
            var path = self
            path.steps = path.steps.dropLast() + [(path.steps.last ?? "self") + "[\(index)]"]
            return path
        }

        /// The path as a text has it, without a quantifier.
        var text: String { steps.isEmpty ? "self" : steps.joined(separator: ".") }

        /// Whether a property on the way is named by a word of the language.
        var hasReservedNames: Bool {
            steps.contains { CompiledQuery.isReserved(String($0.prefix { $0 != "[" })) }
        }
    }

    enum Piece {
        case text(String)
        case argument(Any)
        case path(Path)
    }

    var pieces: [Piece] = []

    init(_ pieces: [Piece]) { self.pieces = pieces }

    static func + (a: QueryExpression, b: QueryExpression) -> QueryExpression {
        QueryExpression(a.pieces + b.pieces)
    }

    /// Joins conditions by a word: AND or OR.
    static func joined(_ conditions: [QueryExpression], _ word: String) -> QueryExpression {
        let parts = conditions.map { [.text("(")] + $0.condition.pieces + [.text(")")] }
        return QueryExpression(Array(parts.joined(separator: [.text(" \(word) ")])))
    }

    /// Compares a path with a value.
    static func compared(_ path: Path, _ operation: String, _ value: Any) -> QueryExpression {
        QueryExpression([.path(path), .text(" \(operation) "), .argument(value)])
    }

    /// The path, where it is nothing else.
    var path: Path? {
        if pieces.count == 1, case .path(let path) = pieces[0] { path } else { nil }
    }

    /// The condition: a path to a bool is compared with true.
    var condition: QueryExpression {
        path.map { .compared($0, "==", true) } ?? self
    }

    /// Whether the condition does not hold.
    var negated: QueryExpression {
        QueryExpression([.text("NOT (")] + condition.pieces + [.text(")")])
    }

    /// The text, with `$0`, `$1`, … for the arguments.
    var rendered: (text: String, arguments: [Any]) {
        var arguments: [Any] = []
        var text = ""
        for piece in pieces {
            switch piece {
            case .text(let part): text += part
            case .argument(let value):
                text += "$\(arguments.count)"
                arguments.append(value)
            case .path(let path):
                if path.isMany { text += "ANY " }
                if path.hasReservedNames {
                    text += "$K\(arguments.count)"
                    arguments.append(path.text)
                } else {
                    text += path.text
                }
            }
        }
        return (text, arguments)
    }

    /// The number of elements of the condition's collection that meet it.
    var subqueryCount: QueryExpression {
        var collection: ArraySlice<String>?
        let inner = condition.pieces.map { piece -> Piece in
            guard case .path(var path) = piece else { return piece }
            if path.isSubscripted { Misuse.end("Subqueries do not support map subscripts.") }
            guard let end = path.collectionEnds.first,
                collection == nil || collection == path.steps[..<end]
            else {
                Misuse.end("Subqueries must contain a keypath starting with a collection.")
            }
            collection = path.steps[..<end]
            path.steps.replaceSubrange(..<end, with: ["$object"])
            path.collectionEnds = path.collectionEnds.dropFirst().map { $0 - end + 1 }
            return .path(path)
        }
        guard let collection else {
            Misuse.end("Subqueries must contain a keypath starting with a collection.")
        }
        return QueryExpression(
            [.text("SUBQUERY("), .path(Path(steps: Array(collection))), .text(", $object, ")]
                + inner + [.text(").@count")])
    }
}
