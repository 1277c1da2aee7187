"""Hears most of what the publisher says and prints a digest of it with the times."""
import hashlib

import rospy
from std_msgs.msg import String

digest = hashlib.sha1()
count = 0


def hear(message):
    global count
    count += 1
    digest.update(message.data[-10:].encode() + repr(rospy.get_time()).encode())


rospy.init_node("subscriber")
rospy.Subscriber("words", String, hear)
while count < 95 and not rospy.is_shutdown():
    rospy.sleep(0.05)
print(count, digest.hexdigest())
