import ObjectModel

/// A query as its text has it: names and arguments not yet looked up, types not yet checked.
struct Syntax {
    /// A predicate; `operand` stands only directly inside parentheses, while they are parsed.
    indirect enum Node {
        case truth(Bool)
        case and([Node])
        case or([Node])
        case not(Node)
        case comparison(Comparison)
        case between(Operand, Operand, start: Int)
        case within(Within)
        case operand(Operand)
    }

    /// Two operands and what is asked of them.
    struct Comparison {
        var left: Operand
        var right: Operand
        var comparison: ComparisonOperator
        /// Whether it is written `IN`, which demands several values on its right.
        var isIn = false
        var ignoresCase = false
        var ignoresAccents = false
        /// The offset of the operator.
        var start: Int
    }

    /// One side of a comparison.
    indirect enum Operand {
        case constant(Constant)
        /// `{…}`, or a quantified argument, which has to be a list.
        case list([Constant], Quantifier?, start: Int, end: Int)
        case quantifiedArgument(Constant, Quantifier)
        case path(Path)
        case operation(Operation)
        case subquery(Subquery)

        var start: Int {
            switch self {
            case .constant(let constant), .quantifiedArgument(let constant, _): constant.start
            case .list(_, _, let start, _): start
            case .path(let path): path.start
            case .operation(let operation): operation.left.start
            case .subquery(let subquery): subquery.start
            }
        }

        var end: Int {
            switch self {
            case .constant(let constant), .quantifiedArgument(let constant, _): constant.end
            case .list(_, _, _, let end): end
            case .path(let path): path.end
            case .operation(let operation): operation.right.end
            case .subquery(let subquery): subquery.end
            }
        }

        /// How many operations and subqueries stand in each other.
        var depth: Int {
            switch self {
            case .constant, .quantifiedArgument, .list, .path: 0
            case .operation(let operation): operation.depth
            case .subquery(let subquery): subquery.depth
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
        indirect enum Kind {
            case value(Value)
            case argument(Int)
            /// The data of an argument, or the bytes of its text.
            case binaryArgument(Int)
            case object(className: String, key: Constant)
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
}
