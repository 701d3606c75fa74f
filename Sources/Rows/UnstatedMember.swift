/// A required property that a draft does not state.
package struct UnstatedMember {
    /// The draft, or one of the embedded objects in it.
    package let draft: ObjectDraft
    /// The position of the property in its class.
    package let member: Int
}
