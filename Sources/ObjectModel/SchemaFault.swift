/// One thing that is wrong with a schema.
package struct SchemaFault: Error, Equatable, Sendable {
    /// The class that has the fault; nil when it is the schema's own.
    package var className: String?
    /// The property that has the fault; nil when it is the class's own.
    package var property: String?
    /// The position of the class's unique group that has the fault; nil when none has.
    package var uniqueGroup: Int?
    /// A sentence that says what is wrong and what to do instead.
    package var detail: String
    /// A suggestion: the name that was probably meant.
    package var hint: String?

    /// Describes a fault.
    package init(
        className: String? = nil, property: String? = nil, uniqueGroup: Int? = nil, detail: String,
        hint: String? = nil
    ) {
        self.hint = hint
        self.className = className
        self.property = property
        self.uniqueGroup = uniqueGroup
        self.detail = detail
    }
}
