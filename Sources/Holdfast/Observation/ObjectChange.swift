/// A notification of an object's observer.
public enum ObjectChange<T> {
    /// Reading failed. Never told: reading faults end the process.
    case error(_ error: any Error)
    /// Properties of the object have changed, or what they lead to.
    case change(_ object: T, _ properties: [PropertyChange])
    /// The object was deleted: nothing else is told afterwards.
    case deleted
}
