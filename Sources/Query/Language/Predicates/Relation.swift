import HoldfastObjectModel
import HoldfastRows
import HoldfastText

/// The operator of a comparison, and how it compares texts.
package struct Relation: Hashable, Sendable {
    package var comparison: ComparisonOperator
    /// Whether strings are compared after simple case folding.
    package var ignoresCase: Bool
    /// Whether strings are compared without their accents.
    package var ignoresAccents: Bool

    package init(
        _ comparison: ComparisonOperator, ignoresCase: Bool = false, ignoresAccents: Bool = false
    ) {
        self.comparison = comparison
        self.ignoresCase = ignoresCase
        self.ignoresAccents = ignoresAccents
    }

    /// Whether strings are compared in another form than they have.
    var folds: Bool { ignoresCase || ignoresAccents }

    /// The operator as it is written, with its options.
    var name: String {
        let flags = (ignoresCase ? "c" : "") + (ignoresAccents ? "d" : "")
        return comparison.rawValue + (flags.isEmpty ? "" : "[\(flags)]")
    }
}

extension Relation {
    /// Compiles a regular expression, without its accents if they do not count.
    ///
    /// - `mayContinue`: Returns whether a test may continue.
    func pattern(
        _ text: String, _ mayContinue: @escaping () -> Bool = { true }
    ) throws(TextPattern.Fault) -> TextPattern {
        var text = text
        if ignoresAccents {
            let folder = TextFolder(ignoresCase: false)
            text = text.withUTF8 {
                String(decoding: folder.fold(UnsafeRawBufferPointer($0)), as: UTF8.self)
            }
        }
        return try TextPattern(text, ignoresCase: ignoresCase, mayContinue: mayContinue)
    }
}

/// The share of several values that has to satisfy a comparison. Raw values are the words in Realm's messages.
package enum Quantifier: String, Sendable {
    /// At least one; also the meaning of an omitted quantifier. SOME is the same.
    case any = "ANY"
    /// Every one; true of no values.
    case all = "ALL"
    /// Not one; true of no values.
    case none = "NONE"

    /// Whether so many of some values satisfy a condition.
    @inline(__always)
    func holds<Values: Sequence>(of values: Values, _ test: (Values.Element) -> Bool) -> Bool {
        switch self {
        case .any: values.contains(where: test)
        case .all: values.allSatisfy(test)
        case .none: !values.contains(where: test)
        }
    }

    /// Whether so many of some values satisfy a condition, as far as the budget lasts: a step for each value.
    @inline(__always)
    func holds<Values: Sequence>(
        of values: Values, within budget: Budget, _ test: (Values.Element) -> Bool
    ) -> Bool {
        // The value at which the budget fails is the last: it decides for every quantifier.
        let deciding = self != .all
        return holds(of: values) { budget.spend() ? test($0) : deciding }
    }
}

/// Kinds of a `mixed` value as a set: the result of `@type`, and the meaning of its names.
enum KindSet {
    /// Makes the set of one kind: a bit that its rank, and its place among the four of that, tell.
    static func of(_ kind: MixedKind) -> Int64 {
        1 << (Int64(kind.rank) << 2 | Int64(kind.rawValue & 3))
    }

    /// The names of kinds, in lower case.
    private static let names: [String: [MixedKind]] = [
        "null": [.null], "int": [.int], "integer": [.int], "int16": [.int], "int32": [.int],
        "int64": [.int], "short": [.int], "long": [.int], "byte": [.int], "char": [.int],
        "bool": [.bool], "boolean": [.bool], "string": [.string], "binary": [.data],
        "data": [.data], "bytearray": [.data], "byte[]": [.data], "bindata": [.data],
        "date": [.date], "timestamp": [.date], "datetimeoffset": [.date], "float": [.float],
        "double": [.double], "decimal": [.decimal], "decimal128": [.decimal],
        "objectid": [.objectID], "uuid": [.uuid], "guid": [.uuid], "link": [.link],
        "objectlink": [.link], "object": [.map], "dictionary": [.map], "array": [.list],
        "list": [.list], "numeric": [.int, .float, .double, .decimal], "collection": [.list, .map],
    ]

    /// Returns the set that a name stands for, in any case; nil for an unknown name.
    static func named(_ name: String) -> Int64? {
        names[name.lowercased()]?.reduce(0) { $0 | of($1) }
    }

    /// All names, in alphabetical order.
    static let allNames = names.keys.sorted()
}
