import HoldfastObjectJSON
import HoldfastObjectStore
import HoldfastRows

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
        guard let rowClass = schema.rowClass(named: name) else { throw .unknownClass(name, schema) }
        try rowClass.requireObjects()
        return rowClass
    }

    /// The class of a name, of a kind with objects that are created by themselves.
    ///
    /// - Throws: ``RequestFault`` `.notFound` with the nearest name; `.unsupportedOperation` for an embedded class.
    package func creatableClass(named name: UnsafeRawBufferPointer) throws(RequestFault) -> RowClass
    {
        let rowClass = try anyClass(named: name)
        try rowClass.requireCreatable()
        return rowClass
    }

    /// The property of a name.
    ///
    /// - Throws: ``RequestFault`` `.notFound` with the nearest name.
    package func member(
        named name: UnsafeRawBufferPointer, of rowClass: RowClass
    ) throws(RequestFault) -> Int {
        guard let member = rowClass.names.position(of: name, next: 0) else {
            throw .unknownProperty(String(decoding: name, as: UTF8.self), rowClass)
        }
        return member
    }

    /// The selection of `fields` and `expand` for objects of a class; all that it has without them.
    ///
    /// - Throws: ``RequestFault`` `.malformed` that names the parameter and the nearest known name.
    package func selection(
        fields: String?, expand: String?, of rowClass: RowClass
    ) throws(RequestFault) -> FieldSelection {
        if fields == nil, expand == nil { return everything[rowClass.index] }
        return try FieldSelection(
            fields: fields, expand: expand, of: rowClass, names: self,
            within: RequestScratch.current.budget)
    }

    /// The projection for the objects that a property holds.
    ///
    /// - Throws: ``RequestFault`` `.malformed` if no projection has the name, or if it shows another class.
    package func projection(
        named name: String, of rowClass: RowClass, _ member: Int
    ) throws(RequestFault) -> CompiledProjection {
        guard let projection = projections[name] else {
            var fault = RequestFault.unknownProjection(name, schema)
            fault.kind = .malformed
            throw fault
        }
        let compiled = rowClass.members[member]
        guard compiled.classIndex == projection.rowClass.index else {
            throw .parameter(
                "projection",
                "'\(rowClass.definition.properties[member].name)' has no objects of class "
                    + "'\(projection.rowClass.definition.name)', which '\(name)' shows.")
        }
        return projection
    }
}

extension RowClass {
    /// Refuses operations on objects that an asymmetric class does not have: it only creates objects.
    ///
    /// - Throws: ``RequestFault`` `.malformed`.
    package func requireCreation(_ mode: WriteMode) throws(RequestFault) {
        guard isAsymmetric, mode != .create else { return }
        throw .parameter(
            "mode",
            "Class '\(definition.name)' is asymmetric: its objects are only created, so 'mode' is "
                + "create, or left out.")
    }

    /// Refuses a class with objects that are not created by themselves.
    ///
    /// - Throws: ``RequestFault`` `.unsupportedOperation`.
    package func requireCreatable() throws(RequestFault) {
        if !isAsymmetric { try requireObjects() }
    }

    /// Refuses a class with objects that are not read and written by themselves.
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
