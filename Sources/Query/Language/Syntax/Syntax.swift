import HoldfastObjectModel

/// A query as its text has it: names and arguments not yet looked up, types not yet checked.
///
/// A `range` is that of the bytes that something has in the text, a `start` where they begin.
struct Syntax: Sendable {
    /// A predicate; `operand` stands only directly inside parentheses, while they are parsed.
    enum Node: Sendable {
        case truth(Bool)
        case and([Node])
        case or([Node])
        indirect case not(Node)
        indirect case comparison(Comparison)
        indirect case between(Operand, Operand, start: Int)
        indirect case within(Operand, Region)
        indirect case operand(Operand)
    }

    /// Two operands and their relation.
    struct Comparison: Sendable {
        let left: Operand
        let relation: Relation
        let right: Operand
        /// Whether it is written `IN`, which demands several values on its right.
        let isIn: Bool
        /// The offset of the operator.
        let start: Int
    }

    /// One side of a comparison.
    enum Operand: Sendable {
        case constant(Constant)
        /// `{…}`, or a quantified argument, which has to be a list.
        case list([Constant], Quantifier?, Range<Int>)
        case quantifiedArgument(Constant, Quantifier)
        /// A path of one name without escapes, as most are: it needs no list of steps, and often no string.
        case property(Range<Int>)
        case path(Path)
        indirect case operation(Operation)
        indirect case subquery(Subquery)

        var range: Range<Int> {
            switch self {
            case .constant(let constant), .quantifiedArgument(let constant, _): constant.range
            case .list(_, _, let range), .property(let range): range
            case .path(let path): path.range
            case .operation(let operation): operation.range
            case .subquery(let subquery): subquery.range
            }
        }

        var start: Int { range.lowerBound }

        /// The number of operations and subqueries that stand in each other.
        var depth: Int {
            switch self {
            case .constant, .quantifiedArgument, .list, .property, .path: 0
            case .operation(let operation): operation.depth
            case .subquery(let subquery): subquery.depth
            }
        }
    }

    /// Two values that are calculated with.
    struct Operation: Sendable {
        var left: Operand
        var operation: ArithmeticOperator
        var right: Operand
        var depth: Int
        /// The offset of the sign.
        var start: Int

        var range: Range<Int> { left.range.lowerBound..<right.range.upperBound }
    }

    /// The number of objects, of several, that satisfy a predicate.
    struct Subquery: Sendable {
        var path: Path
        var variable: String
        var variableStart: Int
        var predicate: Node
        var depth: Int
        var range: Range<Int>
    }

    /// A value that stands in the text or comes as an argument.
    struct Constant: Sendable {
        enum Kind: Sendable {
            case value(Value)
            case argument(Int)
            /// The data of an argument, or the bytes of its text.
            case binaryArgument(Int)
            /// An object of a class, with the offset of the class's name.
            indirect case object(className: String, at: Int, key: Constant)
            /// The time of the request, and so many seconds.
            case now(plus: Int64)
        }

        var kind: Kind
        var range: Range<Int>

        var start: Int { range.lowerBound }
    }

    /// Properties, one after the other, and the operation on the last.
    struct Path {
        var quantifier: Quantifier?
        var steps: [Step]
        var range: Range<Int>

        var start: Int { range.lowerBound }
    }

    /// One step of a path.
    struct Step {
        enum Kind: Sendable {
            case name(String)
            case links
            case count
            case position(ListPosition)
            case allElements
            case argumentIndex(Int)
            case keys
            case values
            case keyPathArgument(Int)
            case aggregate(AggregateFunction)
            case type

            /// A count or an aggregate by its name in a path, such as `@max`; nil for other names.
            init?(operation name: String) {
                guard name.hasPrefix("@"), let known = Token.operations[String(name.dropFirst())]
                else { return nil }
                switch known {
                case .count, .aggregate: self = known
                default: return nil
                }
            }
        }

        var kind: Kind
        var start: Int
    }

    /// A region of the Earth's surface.
    struct Region {
        enum Kind: Sendable {
            case argument(Int)
            case box(Point, Point)
            /// `unit`: How many radians a unit of length has; nil where the radius is in radians.
            case circle(Point, radius: Constant, unit: Double?)
            case polygon([[Point]])
        }

        var kind: Kind
        var start: Int
    }

    /// `[longitude, latitude]`, perhaps with an altitude, which says nothing here.
    struct Point {
        var longitude: Constant
        var latitude: Constant
        var altitude: Constant?
    }

    /// A clause behind the predicate.
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
