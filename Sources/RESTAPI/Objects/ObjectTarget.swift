import Bytes
import HTTPServer
import ObjectJSON
import ObjectModel
import ObjectStore
import Rows
import StoreService

/// Where a request names its object.
enum KeySource: Sendable {
    /// `…/objects/{id}`
    case path
    /// `…/object?key=<JSON>`
    case parameter

    /// The parameters of an operation, with `key` where it is one.
    func parameters(_ others: [StaticString]) -> [StaticString] {
        self == .path ? others : ["key"] + others
    }
}

/// Which object a request is about, in one schema.
struct ObjectTarget {
    var rowClass: RowClass
    /// The primary key, or the object key as an int where the class has none.
    var key: Value

    /// The object key; nil for a class with a primary key.
    var objectKey: UInt64? {
        guard rowClass.primaryKeyIndex == nil, case .int(let key) = key else { return nil }
        return UInt64(clamping: key)
    }
}

extension RESTService {
    /// Finds the class and reads the key that a request names.
    ///
    /// - Throws: ``RequestFault`` `.notFound` for an unknown class, `.malformed` for a key that is missing or of the wrong type.
    func target(
        _ request: Request, _ source: KeySource, _ names: SchemaNames, _ scratch: RequestScratch
    ) throws(RequestFault) -> ObjectTarget {
        try target(request, source, of: objectClass(request, names), scratch)
    }

    /// Reads the key that a request names an object of a class by.
    ///
    /// - Throws: ``RequestFault`` `.malformed` for a key that is missing or of the wrong type.
    func target(
        _ request: Request, _ source: KeySource, of rowClass: RowClass, _ scratch: RequestScratch
    ) throws(RequestFault) -> ObjectTarget {
        switch source {
        case .path:
            let text = UnsafeRawBufferPointer(request.parameter(1).bytes)
            return ObjectTarget(
                rowClass: rowClass, key: try KeyText.value(path: text, of: rowClass))
        case .parameter:
            for (name, value) in request.query where name == "key" {
                let text = UnsafeRawBufferPointer(value.bytes)
                return ObjectTarget(
                    rowClass: rowClass,
                    key: try KeyText.value(json: text, of: rowClass, parser: scratch.parser))
            }
            throw .parameter(
                "key",
                "This path needs the object's key as JSON, such as ?key=7 or ?key=%22a%2Fb%22.")
        }
    }

    /// Finds the object that a request names.
    func find(
        _ request: Request, _ source: KeySource, _ names: SchemaNames, _ read: ReadTransaction,
        _ scratch: RequestScratch
    ) throws(RequestFault) -> (rowClass: RowClass, key: UInt64, row: RowView)? {
        try find(request, source, of: objectClass(request, names), read, scratch)
    }

    /// Finds the object of a class that a request names.
    func find(
        _ request: Request, _ source: KeySource, of rowClass: RowClass, _ read: ReadTransaction,
        _ scratch: RequestScratch
    ) throws(RequestFault) -> (rowClass: RowClass, key: UInt64, row: RowView)? {
        scratch.key.removeAll()
        if source == .path {
            let text = UnsafeRawBufferPointer(request.parameter(1).bytes)
            guard rowClass.primaryKeyIndex != nil else {
                guard let key = text.objectKey else { throw KeyText.wrongType(rowClass) }
                return try row(rowClass, key, read)
            }
            try KeyText.append(path: text, of: rowClass, to: scratch.key)
        } else {
            let target = try target(request, source, of: rowClass, scratch)
            if let key = target.objectKey { return try row(rowClass, key, read) }
            OrderedKey.append(target.key, to: scratch.key)
        }
        do {
            guard
                let found = try read.find(
                    rowClass, primaryKey: scratch.key.bytes, cache: scratch.primaryKeys)
            else {
                return nil
            }
            return (rowClass, found.key, found.row)
        } catch {
            throw served.fault(error)
        }
    }

    private func row(
        _ rowClass: RowClass, _ key: UInt64, _ read: ReadTransaction
    ) throws(RequestFault) -> (rowClass: RowClass, key: UInt64, row: RowView)? {
        do {
            guard let row = try read.find(rowClass, key: key) else { return nil }
            return (rowClass, key, row)
        } catch {
            throw served.fault(error)
        }
    }
}

extension UnsafeRawBufferPointer {
    /// An object key in decimal digits.
    fileprivate var objectKey: UInt64? {
        guard !isEmpty, count <= 20 else { return nil }
        var value: UInt64 = 0
        for byte in self {
            guard byte >= 48, byte <= 57 else { return nil }
            let (product, isTooLarge) = value.multipliedReportingOverflow(by: 10)
            let (sum, isSumTooLarge) = product.addingReportingOverflow(UInt64(byte - 48))
            if isTooLarge || isSumTooLarge { return nil }
            value = sum
        }
        return value
    }
}
