"""Publishes at 20 Hz, one message of 20 MB among them."""
import rospy
from std_msgs.msg import String

rospy.init_node("publisher")
out = rospy.Publisher("words", String, queue_size=10)
rate = rospy.Rate(20)
for i in range(100):
    out.publish(String("x" * (20000000 if i == 50 else 10) + str(i)))
    rate.sleep()
