/// A query on its way to text: pieces, so that arguments get their numbers, and paths their beginnings, at the end.
struct QueryExpression {
    /// The way to a value.
    struct Path {
        /// Names and operations, joined by points.
        var steps: [String] = []
        /// How many of the steps lead to the first collection of objects; nil where they lead to one value.
        var collectionEnd: Int?
        /// Whether what stands behind the collection makes one value of it, such as a count.
        var isSingle = false
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

    /// The path, where it is nothing else.
    var path: Path? {
        if pieces.count == 1, case .path(let path) = pieces[0] { path } else { nil }
    }

    /// The condition: a path to a bool is compared with true.
    var condition: QueryExpression {
        path == nil ? self : self + QueryExpression([.text(" == true")])
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
                text +=
                    (path.collectionEnd != nil && !path.isSingle ? "ANY " : "")
                    + path.steps.joined(separator: ".")
            }
        }
        return (text, arguments)
    }

    /// The number of elements of the condition's collection that meet it.
    var subqueryCount: QueryExpression {
        var collection: [String]?
        for case .path(let path) in pieces {
            guard let end = path.collectionEnd else { continue }
            if path.steps[..<end].contains(where: { $0.contains("[") }) {
                Misuse.end("Subqueries do not support map subscripts.")
            }
            let own = Array(path.steps[..<end])
            if let collection, collection != own {
                Misuse.end("Subqueries must contain a keypath starting with a collection.")
            }
            collection = own
        }
        guard let collection else {
            Misuse.end("Subqueries must contain a keypath starting with a collection.")
        }
        let inner = pieces.map { piece -> Piece in
            guard case .path(var path) = piece, path.collectionEnd == collection.count else {
                return piece
            }
            path.steps.replaceSubrange(..<collection.count, with: ["$object"])
            path.collectionEnd = nil
            return .path(path)
        }
        return QueryExpression(
            [.text("SUBQUERY(\(collection.joined(separator: ".")), $object, ")] + inner + [
                .text(").@count")
            ])
    }
}
