import ObjectModel

/// A query as its text has it: names and arguments not yet looked up, types not yet checked.
struct Syntax {
    /// A predicate; `operand` stands only directly inside parentheses, while they are parsed.
    enum Node {
        case truth(Bool)
        case and([Node])
        case or([Node])
        indirect case not(Node)
        case comparison(Comparison)
        indirect case between(Operand, Operand, start: Int)
        indirect case within(Within)
        indirect case operand(Operand)
    }

    /// Two operands and what is asked of them. A class, so that a node stays small and is not copied.
    final class Comparison {
        let left: Operand
        let right: Operand
        let comparison: ComparisonOperator
        /// Whether it is written `IN`, which demands several values on its right.
        let isIn: Bool
        let ignoresCase: Bool
        let ignoresAccents: Bool
        /// The offset of the operator.
        let start: Int

        init(
            left: consuming Operand, right: consuming Operand, comparison: ComparisonOperator,
            isIn: Bool, ignoresCase: Bool, ignoresAccents: Bool, start: Int
        ) {
            self.left = left
            self.right = right
            self.comparison = comparison
            self.isIn = isIn
            self.ignoresCase = ignoresCase
            self.ignoresAccents = ignoresAccents
            self.start = start
        }
    }

    /// One side of a comparison.
    enum Operand {
        case constant(Constant)
        /// `{…}`, or a quantified argument, which has to be a list.
        case list([Constant], Quantifier?, start: Int, end: Int)
        case quantifiedArgument(Constant, Quantifier)
        /// A path of one name without escapes, as most are: it needs no list of steps, and often no string.
        case property(start: Int, end: Int)
        case path(Path)
        indirect case operation(Operation)
        indirect case subquery(Subquery)

        var start: Int {
            switch self {
            case .constant(let constant), .quantifiedArgument(let constant, _): constant.start
            case .list(_, _, let start, _), .property(let start, _): start
            case .path(let path): path.start
            case .operation(let operation): operation.left.start
            case .subquery(let subquery): subquery.start
            }
        }

        var end: Int {
            switch self {
            case .constant(let constant), .quantifiedArgument(let constant, _): constant.end
            case .list(_, _, _, let end), .property(_, let end): end
            case .path(let path): path.end
            case .operation(let operation): operation.right.end
            case .subquery(let subquery): subquery.end
            }
        }

        /// How many operations and subqueries stand in each other.
        var depth: Int {
            switch self {
            case .constant, .quantifiedArgument, .list, .property, .path: 0
            case .operation(let operation): operation.depth
            case .subquery(let subquery): subquery.depth
            }
        }

        /// Whether it is a path, of one name or more.
        var isPath: Bool {
            switch self {
            case .property, .path: true
            case .constant, .quantifiedArgument, .list, .operation, .subquery: false
            }
        }
    }

    /// Two values that are calculated with.
    struct Operation {
        var left: Operand
        var operation: ArithmeticOperator
        var right: Operand
        var depth: Int
        /// The offset of the sign.
        var start: Int
    }

    /// How many of several objects satisfy a predicate.
    struct Subquery {
        var path: Path
        var variable: String
        var variableStart: Int
        var predicate: Node
        var depth: Int
        var start: Int
        var end: Int
    }

    /// A value that stands in the text or comes as an argument.
    struct Constant {
        enum Kind {
            case value(Value)
            case argument(Int)
            /// The data of an argument, or the bytes of its text.
            case binaryArgument(Int)
            indirect case object(className: String, key: Constant)
            /// The time of the request, and so many seconds.
            case now(plus: Int64)
        }

        var kind: Kind
        var start: Int
        var end: Int
    }

    /// Properties, one after the other, and what is asked of the last.
    struct Path {
        var quantifier: Quantifier?
        var steps: [Step]
        var start: Int
        var end: Int
    }

    /// One step of a path.
    struct Step {
        enum Kind {
            case name(String)
            case links
            case count
            case index(Int)
            case first
            case last
            case allElements
            case argumentIndex(Int)
            case key([UInt8])
            case keys
            case values
            case keyPathArgument(Int)
            case aggregate(AggregateFunction)
            case type
        }

        var kind: Kind
        var start: Int
        var end: Int
    }

    /// What follows the predicate, in order.
    enum Suffix {
        case sort([(path: Path, isAscending: Bool)])
        case distinct([Path])
        case limit(Int)
    }

    var predicate: Node
    var suffixes: [Suffix]
    /// Whether `now()` stands in it.
    var asksForTime: Bool
}
