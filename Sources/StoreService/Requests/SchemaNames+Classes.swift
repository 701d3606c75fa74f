import ObjectJSON
import ObjectStore
import Rows

extension SchemaNames {
    /// The class of a name, of any kind.
    ///
    /// - Throws: ``RequestFault`` `.notFound` with the nearest name.
    package func anyClass(named name: UnsafeRawBufferPointer) throws(RequestFault) -> RowClass {
        guard let index = classIndex(named: name) else {
            throw .unknownClass(String(decoding: name, as: UTF8.self), schema)
        }
        return schema.classes[index]
    }

    /// The class of a name, of kind `object`.
    ///
    /// - Throws: ``RequestFault`` `.notFound` with the nearest name; `.unsupportedOperation` for a class of another kind.
    package func objectClass(named name: UnsafeRawBufferPointer) throws(RequestFault) -> RowClass {
        let rowClass = try anyClass(named: name)
        try rowClass.requireObjects()
        return rowClass
    }

    /// The same for a name that was kept beyond its request.
    package func objectClass(named name: String) throws(RequestFault) -> RowClass {
        guard let rowClass = schema.rowClass(named: name) else {
            throw .unknownClass(name, schema)
        }
        try rowClass.requireObjects()
        return rowClass
    }

    /// The class of a name, of a kind whose objects are created by themselves.
    ///
    /// - Throws: ``RequestFault`` `.notFound` with the nearest name; `.unsupportedOperation` for an embedded class.
    package func creatableClass(named name: UnsafeRawBufferPointer) throws(RequestFault) -> RowClass
    {
        let rowClass = try anyClass(named: name)
        if !rowClass.isAsymmetric { try rowClass.requireObjects() }
        return rowClass
    }

    /// The property of a name.
    ///
    /// - Throws: ``RequestFault`` `.notFound` with the nearest name.
    package func member(
        named name: UnsafeRawBufferPointer, of rowClass: RowClass
    ) throws(RequestFault) -> Int {
        guard let member = classes[rowClass.index].member(named: name) else {
            throw .unknownProperty(String(decoding: name, as: UTF8.self), rowClass)
        }
        return member
    }
}

extension RowClass {
    /// Refuses what an asymmetric class can't do with objects that it is sent: it only creates.
    ///
    /// - Throws: ``RequestFault`` `.malformed`.
    package func requireCreation(_ mode: WriteMode) throws(RequestFault) {
        guard isAsymmetric, mode != .create else { return }
        throw .parameter(
            "mode",
            "Class '\(definition.name)' is asymmetric: its objects are only created, so 'mode' is "
                + "create, or left out.")
    }

    /// Refuses a class whose objects are not read and written by themselves.
    ///
    /// - Throws: ``RequestFault`` `.unsupportedOperation`.
    package func requireObjects() throws(RequestFault) {
        switch definition.kind {
        case .object: return
        case .embedded:
            throw RequestFault(
                .unsupportedOperation, "embedded-class",
                "Class '\(definition.name)' is embedded: its objects live inside others and are "
                    + "read and written with them.")
        case .asymmetric: throw .asymmetricClass(self)
        }
    }
}
