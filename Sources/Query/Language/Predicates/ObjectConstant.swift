import HoldfastObjectModel
import HoldfastRows

/// An object that a query names, with its object key once it is looked up in a snapshot.
package final class ObjectConstant {
    /// Looking an object up takes so many steps of a ``Budget``.
    static let stepsOfLookUp = 16

    private let classIndex: Int
    let classNumber: UInt32
    private let primaryKey: OrderedKey?
    private let objectKey: UInt64?
    /// Its object key in the snapshot that the matcher is bound to; nil when it does not exist.
    package private(set) var key: UInt64?

    /// Names an object of a class by its primary key, or by its object key if the class has no primary key.
    package init(rowClass: RowClass, key: Value) {
        classIndex = rowClass.index
        classNumber = rowClass.number
        let hasPrimaryKey = rowClass.primaryKeyIndex != nil
        primaryKey = hasPrimaryKey ? OrderedKey(key) : nil
        if !hasPrimaryKey, case .int(let number) = key {
            objectKey = UInt64(exactly: number)
        } else {
            objectKey = nil
        }
    }

    /// Looks the object up.
    package func bind(to source: any ObjectSource) {
        if let primaryKey {
            key = source.objectKey(classIndex: classIndex, primaryKey: primaryKey)
        } else if let objectKey, source.row(classIndex: classIndex, key: objectKey) != nil {
            key = objectKey
        } else {
            key = nil
        }
    }
}

extension Predicate {
    /// The classes of the objects that it names to compare links with, by position: which object has a key is another
    /// matter in each version.
    package func namedClasses(_ schema: RowSchema) -> Set<Int> {
        var found: Set<Int> = []
        forEachOperand { operand in
            for case .link(let name, _) in operand.constants {
                if let rowClass = schema.rowClass(named: name) { found.insert(rowClass.index) }
            }
            operand.forEachPath { path in
                guard case .matchCount(let inner) = path.terminal else { return }
                found.formUnion(inner.namedClasses(schema))
            }
        }
        return found
    }
}

/// A value that is calculated from others.
///
/// At most one of its values is a list or a path to several; then the calculation is made for each.
package struct Expression: Hashable, Sendable {
    /// A number, or two that are put together.
    package indirect enum Term: Hashable, Sendable {
        case path(ValuePath)
        case constant(Value)
        case constants([Value])
        case operation(Term, ArithmeticOperator, Term)
    }

    /// The calculation; at least one path is in it.
    package var term: Term
    /// The type of the result: a number's, or `mixed`.
    package var type: ValueType
    /// Whether it stands for several values.
    package var isMany: Bool
}

extension Expression.Term {
    /// Hands every path to `body`.
    func forEachPath(_ body: (ValuePath) -> Void) {
        switch self {
        case .path(let path): body(path)
        case .constant, .constants: return
        case .operation(let left, _, let right):
            left.forEachPath(body)
            right.forEachPath(body)
        }
    }
}

/// An operation on two numbers. Raw values are the signs in a query's text.
package enum ArithmeticOperator: String, Sendable {
    case add = "+"
    case subtract = "-"
    case multiply = "*"
    case divide = "/"
}
