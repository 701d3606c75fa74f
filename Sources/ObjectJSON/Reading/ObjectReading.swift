import HoldfastObjectModel
import HoldfastObjectStore
import HoldfastRows

/// One object as a body states it: a draft, and the object's identity.
package struct ObjectReading {
    /// The object as stated. A class's primary key is stated in it, unless it has to be and was not.
    package var draft: ObjectDraft
    /// `$id` of an object whose class has no primary key.
    package var objectKey: UInt64?
    /// `$version`: the write is to happen only if the object still has it.
    package var version: StoreVersion?
}
