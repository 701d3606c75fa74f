import HoldfastObjectModel
import HoldfastRows

/// An object that a query names, with its object key once it is looked up in a snapshot.
final class ObjectConstant {
    /// Looking an object up takes so many steps of a ``Budget``.
    static let stepsOfLookUp = 16

    private let classIndex: Int
    /// The number of its class.
    let classNumber: UInt32
    private let primaryKey: OrderedKey?
    private let objectKey: UInt64?
    /// Its object key in the snapshot that the matcher is bound to; nil when it does not exist.
    private(set) var key: UInt64?

    /// Names an object of a class by its primary key, or by its object key where there is none.
    init(rowClass: RowClass, key: Value) {
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
    func bind(to source: any ObjectSource) {
        if let primaryKey {
            key = source.objectKey(classIndex: classIndex, primaryKey: primaryKey)
        } else if let objectKey, source.row(classIndex: classIndex, key: objectKey) != nil {
            key = objectKey
        } else {
            key = nil
        }
    }
}
