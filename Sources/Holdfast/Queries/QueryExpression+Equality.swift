extension QueryExpression {
    /// Whether a value, or one of several, is another one.
    ///
    /// An embedded object, and what is stored as one, is equal when all its properties are.
    static func equal(_ path: Path, _ value: Any) -> QueryExpression {
        guard let object = embedded(value) else { return compared(path, "==", value) }
        let members = memberwise(path, object)
        // All properties have to be those of one element.
        return path.isMany ? members.subqueryCount + QueryExpression([.text(" > 0")]) : members
    }

    /// Whether a value is one of several.
    static func isIn(_ path: Path, _ values: [Any]) -> QueryExpression {
        values.contains { embedded($0) != nil }
            ? joined(values.map { equal(path, $0) }, "OR") : compared(path, "IN", values)
    }

    /// The embedded object that a value is stored as; nil for other values.
    private static func embedded(_ value: Any) -> EmbeddedObject? {
        if value is any _Scalar { return nil }
        if let object = value as? EmbeddedObject { return object }
        return (value as? any _CustomPersistable).flatMap { $0.persistableValue as? EmbeddedObject }
    }

    private static func memberwise(_ path: Path, _ object: EmbeddedObject) -> QueryExpression {
        let model = ModelClass.of(type(of: object))
        let base = Unmanaged.passUnretained(object).toOpaque()
        return joined(
            model.fields.map { field in
                if let reason = field.reasonAgainstEquality {
                    Misuse.end(
                        "Unsupported property '\(model.name).\(field.name)' for memberwise equality query: \(reason)"
                    )
                }
                var path = path
                path.steps.append(field.name)
                return compared(path, "==", field.wrapper.value(base + field.offset, object))
            }, "AND")
    }
}

extension ModelField {
    /// Why objects can't be compared by the property; nil where they can.
    fileprivate var reasonAgainstEquality: String? {
        if shape.kind != .single { return "equality on collections is not implemented" }
        if case .object = shape.element.kind { return "object links are not implemented" }
        return nil
    }
}
