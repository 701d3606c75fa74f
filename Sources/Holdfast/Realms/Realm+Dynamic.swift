import HoldfastRows

extension Realm {
    /// The binding of a class by its name; ends the process for one that is none of the realm's.
    private func dynamicBinding(_ typeName: String) -> ClassBinding {
        core.checkThread()
        guard let model = core.models.first(where: { $0.name == typeName }) else {
            Misuse.end("Object type '\(typeName)' not managed by the Realm")
        }
        return core.binding(of: model.type).seen(as: DynamicObject.self)
    }

    /// All objects of a class by its name. A name that is none of the realm's ends the process.
    public func dynamicObjects(_ typeName: String) -> Results<DynamicObject> {
        Results(ResultsCore(core, dynamicBinding(typeName), QueryParts()))
    }

    /// The object with a primary key, of a class by its name; nil when there is none. Cost: one look-up.
    public func dynamicObject(ofType typeName: String, forPrimaryKey key: Any) -> DynamicObject? {
        find(dynamicBinding(typeName), key) as? DynamicObject
    }

    /// Makes an object of a class by its name, as ``create(_:value:update:)`` does.
    ///
    /// - Returns: The managed object; where a value does not fit, and the write fails, an unmanaged one without properties.
    @discardableResult
    public func dynamicCreate(
        _ typeName: String, value: Any = [String: Any](), update: UpdatePolicy = .error
    ) -> DynamicObject {
        let type = dynamicBinding(typeName).model.type
        return make(type.init(), value, update).seen(as: DynamicObject.self) ?? DynamicObject()
    }
}
