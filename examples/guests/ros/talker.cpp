#include <ros/ros.h>
#include <std_msgs/String.h>
int main(int argc, char** argv) {
  ros::init(argc, argv, "talker");
  ros::NodeHandle node;
  const int count = argc > 1 ? std::atoi(argv[1]) : 1000;
  ros::Publisher out = node.advertise<std_msgs::String>("chatter", 100);
  while (ros::ok() && out.getNumSubscribers() == 0) ros::Duration(0.01).sleep();
  ros::Rate rate(100);
  for (int i = 0; i < count && ros::ok(); ++i) {
    std_msgs::String message;
    message.data = std::to_string(i) + " " + std::to_string(ros::Time::now().toSec());
    out.publish(message);
    ros::spinOnce();
    rate.sleep();
  }
  ros::Duration(0.5).sleep();
}
